#include "cache/cache_key.hpp"

#include "support/chat_requests.hpp"
#include "support/openai_requests.hpp"

#include <gtest/gtest.h>

#include <set>

namespace runnel::cache {
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
    EXPECT_EQ(key(with(R"(,"store":true,"prompt_cache_key":"k","service_tier":"flex")")), plain);
}

TEST(CacheKey, DoesNotCareForSpacesOrTheOrderOfFields) {
    EXPECT_EQ(key(R"({"temperature":0,"messages":[{"role":"user","content":"a b"}],"model":"m"})"),
              key(R"({"model":"m", "messages" : [ {"role":"user","content":"a b"} ],
                      "temperature": 0})"));
    EXPECT_EQ(key(with(R"(,"prediction":{"type":"content","content":"a b"},"zeta":[1,2])")),
              key(with(R"(,"zeta":[1, 2],"prediction" : {"type":"content", "content":"a b"})")));
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

TEST(CacheKey, DiffersByWhatIsSaidAndWhere) {
    using namespace testing;
    const auto of = [](std::vector<Message> messages) {
        return cache_key(asking(std::move(messages)), {"acme", "fast", ""});
    };
    const auto extra = [](Part part) {
        part.extras.push_back({"x", "1"});
        return part;
    };
    Message with_extra = said(Role::user, "ab");
    with_extra.extras.push_back({"x", "1"});
    const std::set<std::string> keys{
        of({said(Role::user, "ab")}),
        of({said(Role::assistant, "ab")}),
        of({said(Role::user, {text("a"), text("b")})}),
        of({said(Role::user, "a"), said(Role::user, "b")}),
        of({said(Role::user, {extra(text("ab"))})}),
        of({with_extra}),
        of({said(Role::user, {text("ab"), text("")})}),
        of({said(Role::user, {{chat::Refusal{"ab"}}})}),
        of({said(Role::user, {{chat::Reasoning{"ab"}}})}),
        of({said(Role::user, {image("https://a/ab")})}),
        of({said(Role::user, {marked(text("ab"))})}),
        of({called({{"call_1", "ab"}})}),
        of({result("call_1", "ab")}),
    };
    EXPECT_EQ(keys.size(), 13U);
}

TEST(CacheKey, IsSharedWithinOneApiOnly) {
    chat::Request request = testing::hello();
    const std::string plain = cache_key(request, {"acme", "fast", ""});
    request.api = chat::Api::messages;
    EXPECT_NE(cache_key(request, {"acme", "fast", ""}), plain);
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
}  // namespace runnel::cache
