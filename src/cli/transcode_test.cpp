#include "cli/transcode.hpp"

#include <gtest/gtest.h>

namespace runnel::cli {
namespace {

std::string client_bytes(TranscodeOptions options, std::string_view input) {
    auto out = transcode(options, input);
    EXPECT_TRUE(out) << out.error().message;
    return out ? *out : std::string();
}

std::string chunk(std::string_view choice, std::string_view after = "") {
    return R"(data: {"id":"chatcmpl-T","object":"chat.completion.chunk","created":1700000000,"model":"m1","choices":[)" +
           std::string(choice) + "]" + std::string(after) + "}\n\n";
}

constexpr std::string_view openai_text =
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_"
    "reason\":null}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"},\"finish_reason\":null}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":null}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n"
    "data: "
    "{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2,\"total_tokens\":9}}"
    "\n\n"
    "data: [DONE]\n\n";

const std::string role =
    chunk(R"({"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null})");

TEST(Transcode, TurnsAStreamIntoTheClients) {
    const std::string expected =
        role + chunk(R"({"index":0,"delta":{"content":"Hel"},"finish_reason":null})") +
        chunk(R"({"index":0,"delta":{"content":"lo"},"finish_reason":null})") +
        chunk(R"({"index":0,"delta":{},"finish_reason":"stop"})") + "data: [DONE]\n\n";
    EXPECT_EQ(client_bytes({.from = "openai"}, openai_text), expected);
}

TEST(Transcode, GivesTheSameForEveryWayToCutTheInput) {
    const std::string whole = client_bytes({.from = "openai", .include_usage = true}, openai_text);
    for (const std::size_t split : {1U, 2U, 3U, 7U, 100U})
        EXPECT_EQ(
            client_bytes({.from = "openai", .include_usage = true, .split = split}, openai_text),
            whole);
    EXPECT_EQ(client_bytes({.from = "openai", .include_usage = true, .cuts = {0, 10, 1, 300}},
                           openai_text),
              whole);
}

TEST(Transcode, FoldsAStreamIntoOneAnswer) {
    EXPECT_EQ(
        client_bytes({.from = "openai", .json = true}, openai_text),
        R"({"id":"chatcmpl-T","object":"chat.completion","created":1700000000,"model":"m1","choices":[{"index":0,)"
        R"("message":{"role":"assistant","content":"Hello","refusal":null,"annotations":[]},)"
        R"("logprobs":null,"finish_reason":"stop"}],)"
        R"("usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}})");
}

TEST(Transcode, SeesAWholeBodyForWhatItIs) {
    constexpr std::string_view body =
        R"({"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]})";
    EXPECT_EQ(client_bytes({.from = "openai"}, body),
              role + chunk(R"({"index":0,"delta":{"content":"Hello"},"finish_reason":null})") +
                  chunk(R"({"index":0,"delta":{},"finish_reason":"stop"})") + "data: [DONE]\n\n");
}

TEST(Transcode, ShowsAnErrorBodyAsTheClientWouldGetIt) {
    const std::string out = client_bytes(
        {.from = "anthropic", .status = 529},
        R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})");
    EXPECT_TRUE(out.starts_with(R"({"error":{"message":"Anthropic returned 529)")) << out;
    EXPECT_TRUE(
        out.ends_with(R"("type":"server_error","param":null,"code":"tool_provider_error"}})"))
        << out;
}

TEST(Transcode, ShowsAFailedAnswerAsAnErrorWhenFolded) {
    const std::string out =
        client_bytes({.from = "openai", .json = true}, openai_text.substr(0, 250));
    EXPECT_TRUE(out.starts_with(R"({"error":{"message":)")) << out;
    EXPECT_TRUE(out.ends_with(R"("code":"upstream_error"}})")) << out;
}

TEST(Transcode, EndsWellOnNoInputAtAll) {
    const std::string out = client_bytes({.from = "openai"}, "");
    EXPECT_TRUE(out.starts_with("data: {\"error\":{")) << out;
    EXPECT_TRUE(out.ends_with("data: [DONE]\n\n")) << out;
}

TEST(Transcode, MintsTheSameIdsEveryTime) {
    constexpr std::string_view call =
        R"({"choices":[{"index":0,"message":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]})";
    EXPECT_EQ(client_bytes({.from = "openai"}, call), client_bytes({.from = "openai"}, call));
}

TEST(Transcode, SaysWhichKindsAndDialectsThereAre) {
    const auto no_kind = transcode({.from = "opnai"}, "");
    ASSERT_FALSE(no_kind);
    EXPECT_NE(no_kind.error().message.find("anthropic"), std::string::npos)
        << no_kind.error().message;
    const auto no_dialect = transcode({.from = "openai", .to = "x"}, "");
    ASSERT_FALSE(no_dialect);
    EXPECT_NE(no_dialect.error().message.find("openai"), std::string::npos);
}

TEST(Transcode, KnowsEveryKindWithoutAnyConfiguration) {
    for (const char* kind :
         {"openai", "anthropic", "gemini", "ollama", "azure", "xai", "deepseek", "mistral",
          "moonshot", "minimax", "groq", "together", "fireworks", "openrouter", "perplexity",
          "cerebras", "vllm", "openai-compatible", "demo"})
        EXPECT_TRUE(transcode({.from = kind}, "")) << kind;
}

}  // namespace
}  // namespace runnel::cli
