#include "cli/request.hpp"

#include <gtest/gtest.h>

namespace runnel::cli {
namespace {

std::string written(std::string_view kind, std::string_view model) {
    auto out = write_upstream_request(
        kind, R"({"messages":[{"role":"user","content":"Hi"}],"max_tokens":5,"model":")" +
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

TEST(UpstreamRequest, SaysWhatIsWrongWithTheRequest) {
    const auto no_model =
        write_upstream_request("openai", R"({"messages":[{"role":"user","content":"Hi"}]})");
    ASSERT_FALSE(no_model);
    EXPECT_EQ(no_model.error().param, "model");
    EXPECT_FALSE(write_upstream_request("openai", "{"));
    EXPECT_FALSE(write_upstream_request("nobody", "{}"));
}

}  // namespace
}  // namespace runnel::cli
