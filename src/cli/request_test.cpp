#include "cli/request.hpp"

#include <gtest/gtest.h>

namespace runnel::cli {
namespace {

std::string written(std::string_view kind, std::string_view model) {
    auto out = write_upstream_request(
        {.to = std::string(kind)},
        R"({"messages":[{"role":"user","content":"Hi"}],"max_tokens":5,"model":")" +
            std::string(model) + R"("})");
    EXPECT_TRUE(out) << out.error().message;
    return out ? *out : std::string();
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST(UpstreamRequest, IsMethodPathHeadersAndBody) {
    const std::string out = written("openai", "gpt-5-mini");
    EXPECT_TRUE(out.starts_with(R"({"method":"POST","path":"/v1/chat/completions","headers":{)"))
        << out;
    EXPECT_TRUE(has(out, R"("body":{)")) << out;
    EXPECT_TRUE(has(out, R"("model":"gpt-5-mini")")) << out;
}

TEST(UpstreamRequest, ShowsNoKey) {
    EXPECT_TRUE(has(written("openai", "m"), R"("Bearer ***")"));
    EXPECT_TRUE(has(written("anthropic", "claude-sonnet-5"), R"("x-api-key":"***")"));
}

TEST(UpstreamRequest, NamesTheModelAsTheProviderDoes) {
    EXPECT_TRUE(
        has(written("anthropic", "anthropic/claude-sonnet-5"), R"("model":"claude-sonnet-5")"));
    EXPECT_TRUE(
        has(written("anthropic", "@claude/claude-sonnet-5"), R"("model":"claude-sonnet-5")"));
    EXPECT_TRUE(has(written("openrouter", "openrouter/meta/llama"), R"("model":"meta/llama")"));
    EXPECT_TRUE(has(written("openrouter", "meta/llama"), R"("model":"meta/llama")"));
    EXPECT_TRUE(has(written("openai-compatible", "org/model"), R"("model":"org/model")"));
}

TEST(UpstreamRequest, ShowsWhatCloudsAreAsked) {
    EXPECT_TRUE(has(written("bedrock", "us.amazon.nova-lite-v1:0"),
                    R"("path":"/model/us.amazon.nova-lite-v1%3A0/converse")"));
    EXPECT_TRUE(has(written("vertex", "claude-sonnet-4-5@20250929"),
                    "/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict"));
}

TEST(UpstreamRequest, SaysWhatIsWrongWithTheRequest) {
    const auto no_model = write_upstream_request(
        {.to = "openai"}, R"({"messages":[{"role":"user","content":"Hi"}]})");
    ASSERT_FALSE(no_model);
    EXPECT_EQ(no_model.error().param, "model");
    EXPECT_FALSE(write_upstream_request({.to = "openai"}, "{"));
    EXPECT_FALSE(write_upstream_request({.to = "nobody"}, "{}"));
}

TEST(UpstreamRequest, IsReadInAnyApi) {
    const auto sent = [](std::string from, std::string body, std::string model = "") {
        auto out = write_upstream_request(
            {.from = std::move(from), .to = "openai", .model = std::move(model)}, std::move(body));
        EXPECT_TRUE(out) << out.error().message;
        return out ? *out : std::string();
    };
    const std::string_view said = R"("messages":[{"role":"user","content":"Hi"}])";
    for (const std::string& out :
         {sent("chat", R"({"model":"m","messages":[{"role":"user","content":"Hi"}]})"),
          sent("messages",
               R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]})"),
          sent("responses", R"({"model":"m","input":"Hi"})"),
          sent("gemini", R"({"contents":[{"parts":[{"text":"Hi"}]}]})", "m")}) {
        EXPECT_TRUE(has(out, said)) << out;
        EXPECT_TRUE(has(out, R"("model":"m")")) << out;
    }
    const auto none = write_upstream_request({.from = "letters", .to = "openai"}, "{}");
    ASSERT_FALSE(none);
    EXPECT_TRUE(has(none.error().message, "messages, responses")) << none.error().message;
}

TEST(UpstreamRequest, StreamsWhereThePathWouldSaySo) {
    RequestOptions options{.from = "gemini", .to = "openai", .model = "m"};
    const std::string body = R"({"contents":[{"parts":[{"text":"Hi"}]}]})";
    EXPECT_FALSE(has(*write_upstream_request(options, body), R"("stream":true)"));
    options.stream = true;
    EXPECT_TRUE(has(*write_upstream_request(options, body), R"("stream":true)"));
}

TEST(UpstreamRequest, TellsWhatTheProviderHasNoWordFor) {
    const auto out = write_upstream_request(
        {.to = "anthropic"},
        R"({"model":"claude-sonnet-5","seed":1,"messages":[{"role":"user","content":"Hi"}]})");
    ASSERT_TRUE(out);
    EXPECT_TRUE(has(*out, R"("warnings":["dropped_seed"])")) << *out;
    EXPECT_FALSE(has(written("openai", "m"), "warnings"));
}

}  // namespace
}  // namespace runnel::cli
