#include "base/limits.hpp"
#include "provider/registry.hpp"
#include "support/openai_requests.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace runnel::provider {
namespace {

ProviderConfig config(std::string kind, std::string base_url = {}) {
    return {"mine", std::move(kind), std::move(base_url)};
}

Outgoing ask(const ProviderConfig& config, std::string_view members = R"("stream":true)") {
    const auto request =
        testing::openai_request(R"({"model":"x","messages":[{"role":"user","content":"Hi"}],)" +
                                std::string(members) + "}");
    auto outgoing = make_openai(config)->write_request(request, "m 1");
    if (!outgoing) throw std::runtime_error(outgoing.error().message);
    return std::move(*outgoing);
}

std::string header(const Outgoing& outgoing, std::string_view name) {
    const auto found = std::ranges::find(outgoing.headers, name, &Header::name);
    return found == outgoing.headers.end() ? std::string() : found->value;
}

TEST(OpenAiProvider, AsksAtThePresetsAddress) {
    EXPECT_EQ(make_openai(config("openai"))->origin(), "https://api.openai.com");
    EXPECT_EQ(ask(config("openai")).path, "/v1/chat/completions");
    EXPECT_EQ(ask(config("deepseek")).path, "/chat/completions");
    EXPECT_EQ(ask(config("groq")).path, "/openai/v1/chat/completions");
}

TEST(OpenAiProvider, AsksAtTheConfiguredAddress) {
    const auto own = config("openai-compatible", "http://127.0.0.1:9001/v1/");
    EXPECT_EQ(make_openai(own)->origin(), "http://127.0.0.1:9001");
    EXPECT_EQ(ask(own).path, "/v1/chat/completions");
}

TEST(OpenAiProvider, KnowsAzuresAddresses) {
    const auto path = [](std::string base_url, std::string version = {}) {
        auto azure = config("azure", std::move(base_url));
        azure.api_version = std::move(version);
        return ask(azure).path;
    };
    EXPECT_EQ(path("https://r.openai.azure.com/openai/v1"), "/openai/v1/chat/completions");
    EXPECT_EQ(path("https://r.openai.azure.com/openai/v1", "preview"),
              "/openai/v1/chat/completions?api-version=preview");
    EXPECT_EQ(path("https://r.openai.azure.com/openai/deployments/d"),
              "/openai/deployments/d/chat/completions?api-version=2024-10-21");
    EXPECT_EQ(path("https://r.services.ai.azure.com/models", "2024-05-01-preview"),
              "/models/chat/completions?api-version=2024-05-01-preview");
    EXPECT_EQ(path("https://r.openai.azure.com"), "/openai/v1/chat/completions");
    EXPECT_EQ(path("https://r.openai.azure.com", "2025-01-01"),
              "/openai/deployments/m%201/chat/completions?api-version=2025-01-01");
}

TEST(OpenAiProvider, AsksForAStreamOrNot) {
    EXPECT_EQ(header(ask(config("openai")), "accept"), "text/event-stream");
    EXPECT_EQ(header(ask(config("openai"), R"("n":1)"), "accept"), "application/json");
    EXPECT_EQ(header(ask(config("openai")), "accept-encoding"), "identity");
}

TEST(OpenAiProvider, LetsConfiguredHeadersWin) {
    auto own = config("openai");
    own.headers = {{"Authorization", "Basic x"}, {"OpenAI-Organization", "o"}};
    const Outgoing outgoing = ask(own);
    EXPECT_EQ(header(outgoing, "authorization"), "");
    EXPECT_EQ(header(outgoing, "Authorization"), "Basic x");
    EXPECT_EQ(header(outgoing, "OpenAI-Organization"), "o");
}

TEST(OpenAiProvider, HoldsAProviderToOneCallWhereTheClientWantsOne) {
    EXPECT_EQ(ask(config("openai")).turn.tool_calls_max, 0);
    EXPECT_EQ(
        ask(config("openai"),
            R"("tools":[{"type":"function","function":{"name":"f"}}],"parallel_tool_calls":false)")
            .turn.tool_calls_max,
        1);
}

TEST(OpenAiProvider, CallsAnUnknownServerByItsConfiguredName) {
    EXPECT_EQ(make_openai(config("openai-compatible", "http://h/v1"))->display_name(), "mine");
    EXPECT_EQ(make_openai(config("xai"))->display_name(), "xAI");
    EXPECT_EQ(make_openai(config("xai"))->read_error({503, {}, ""}).message,
              "xAI returned 503 overloaded");
}

TEST(OpenAiProvider, CopiesALongPromptOnce) {
    const std::string text(1 << 20, 'x');
    const auto request = testing::openai_request(
        R"({"model":"x","messages":[{"role":"user","content":")" + text + R"("}]})");
    const auto outgoing = make_openai(config("openai"))->write_request(request, "m");
    ASSERT_TRUE(outgoing);
    EXPECT_LT(outgoing->body.capacity(), text.size() + 64 * limits::kib);
}

}  // namespace
}  // namespace runnel::provider
