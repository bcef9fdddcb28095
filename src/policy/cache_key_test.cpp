#include "policy/cache_key.hpp"

#include "support/openai_requests.hpp"

#include <gtest/gtest.h>

namespace runnel::policy {
namespace {

using testing::openai_request;

std::string key(std::string body, CacheScope scope = {"acme", "fast", ""}) {
    return cache_key(openai_request(std::move(body)), scope);
}

std::string with(std::string_view fields) {
    return R"({"model":"m","messages":[{"role":"user","content":"hi"}])" + std::string(fields) +
           "}";
}

TEST(CacheKey, IsTheSameHoweverTheAnswerIsSent) {
    const std::string plain = key(with(""));
    EXPECT_EQ(key(with(R"(,"stream":true,"stream_options":{"include_usage":true})")), plain);
    EXPECT_EQ(key(with(R"(,"user":"u1","metadata":{"a":"b"})")), plain);
    EXPECT_EQ(key(with(R"(,"stream_dialect":"agent","retries":0)")), plain);
}

TEST(CacheKey, DoesNotCareForSpacesOrTheOrderOfFields) {
    EXPECT_EQ(key(R"({"temperature":0,"messages":[{"role":"user","content":"a b"}],"model":"m"})"),
              key(R"({"model":"m", "messages" : [ {"role":"user","content":"a b"} ],
                      "temperature": 0})"));
}

TEST(CacheKey, DiffersWhereTheAnswerMay) {
    const std::string plain = key(with(""));
    for (const std::string_view field :
         {R"(,"max_tokens":5)", R"(,"temperature":0)", R"(,"seed":1)", R"(,"stop":["x"])",
          R"(,"response_format":{"type":"json_object"})", R"(,"reasoning_effort":"low")",
          R"(,"top_p":0.5)", R"(,"some_new_field":1)", R"(,"json_only":true)",
          R"(,"fallback":["other"])"})
        EXPECT_NE(key(with(field)), plain) << field;
}

TEST(CacheKey, DiffersWhereTheAnswerIsHealed) {
    const auto formatted = [](std::string_view options) {
        return with(R"(,"response_format":{"type":"json_schema","json_schema":{"name":"n")" +
                    std::string(options) + R"(,"schema":{}}})");
    };
    EXPECT_NE(key(formatted(R"(,"healing_options":{"max_attempts":2})")), key(formatted("")));
}

TEST(CacheKey, DiffersByAccountModelAndSystemText) {
    const std::string plain = key(with(""));
    EXPECT_NE(key(with(""), {"other", "fast", ""}), plain);
    EXPECT_NE(key(with(""), {"acme", "slow", ""}), plain);
    EXPECT_NE(key(with(""), {"acme", "fast", "Be brief."}), plain);
    EXPECT_NE(key(with(""), {"acmef", "ast", ""}), plain);
}

TEST(CacheKey, IsNotForRequestsWithTools) {
    EXPECT_TRUE(may_be_cached(openai_request(with(""))));
    EXPECT_FALSE(may_be_cached(openai_request(with(
        R"(,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}])"))));
}

}  // namespace
}  // namespace runnel::policy
