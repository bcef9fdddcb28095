#include "provider/openai/request.hpp"

#include "support/chat_requests.hpp"
#include "support/openai_bodies.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using testing::body;
using testing::body_for;
using testing::openai_request;
using testing::said;

// What becomes of these fields beside a model and one message.
std::string fields(std::string_view kind, std::string_view members, std::string_view model = "m") {
    const std::string out = body(
        kind,
        fmt::format(R"({{"model":"x","messages":[{{"role":"user","content":"Hi"}}],{}}})", members),
        model);
    const std::string begin =
        fmt::format(R"({{"model":"{}","messages":[{{"role":"user","content":"Hi"}}])", model);
    EXPECT_TRUE(out.starts_with(begin)) << out;
    return out.substr(begin.size(), out.size() - begin.size() - 1);
}

TEST(OpenAiRequest, PassesEveryFieldOnDigitByDigit) {
    EXPECT_EQ(
        body(
            "openai",
            R"({ "temperature": 0.20, "model": "fast", "x_new": {"b": 1, "a": 12345678901234567890},
                               "messages": [ {"role": "user", "content": "é \u00e9 \"q\""} ], "user": "u" })",
            "gpt-4o"),
        R"({"model":"gpt-4o","messages":[{"role":"user","content":"é \u00e9 \"q\""}],)"
        R"("temperature":0.20,"user":"u","x_new":{"b": 1, "a": 12345678901234567890}})");
}

TEST(OpenAiRequest, KnowsEveryFieldOfItsApi) {
    const std::string_view members =
        R"("stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"top_p":0.9,"top_k":4,)"
        R"("min_p":0.1,"presence_penalty":1,"frequency_penalty":-1,"seed":7,"stop":["a","b"],)"
        R"("logit_bias":{"1":2},"logprobs":true,"top_logprobs":3,"reasoning_effort":"low",)"
        R"("max_completion_tokens":9,"n":2,"verbosity":"low","user":"u","safety_identifier":"s",)"
        R"("prompt_cache_key":"k","service_tier":"flex","store":false)";
    EXPECT_EQ(fields("openai", members), fmt::format(",{}", members));
}

TEST(OpenAiRequest, AlwaysAsksForUsageWhenItStreams) {
    EXPECT_EQ(fields("openai", R"("stream":true)"),
              R"(,"stream":true,"stream_options":{"include_usage":true})");
    EXPECT_EQ(
        fields(
            "openai",
            R"("stream":true,"stream_options":{"include_usage":false,"include_obfuscation":false})"),
        R"(,"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false})");
    EXPECT_EQ(fields("openai", R"("stream":false)"), "");
}

TEST(OpenAiRequest, AsksNobodyForUsageWhoRefusesIt) {
    EXPECT_EQ(fields("mistral", R"("stream":true)"), R"(,"stream":true)");
    EXPECT_EQ(fields("perplexity", R"("stream":true,"stream_options":{"include_usage":true})"),
              R"(,"stream":true)");
}

TEST(OpenAiRequest, KeepsTheGatewaysOwnFieldsToItself) {
    EXPECT_EQ(
        fields(
            "openai-compatible",
            R"("stream_dialect":"openai","fallback":["a"],"retries":1,"metadata":{"a":"b"},"echo_model":true,"include_reasoning":true,"top_k":5)"),
        R"(,"top_k":5)");
}

TEST(OpenAiRequest, DropsNullsAndEmptyLists) {
    EXPECT_EQ(
        fields("openai", R"("tools":[],"stop":[],"logit_bias":null,"modalities":[],"seed":1)"),
        R"(,"seed":1)");
}

TEST(OpenAiRequest, NamesTheTokenLimitAsTheProviderDoes) {
    EXPECT_EQ(fields("openai", R"("max_tokens":5)"), R"(,"max_completion_tokens":5)");
    EXPECT_EQ(fields("deepseek", R"("max_completion_tokens":5)"), R"(,"max_tokens":5)");
    EXPECT_EQ(fields("groq", R"("max_tokens":4,"max_completion_tokens":5)"),
              R"(,"max_completion_tokens":5)");
}

TEST(OpenAiRequest, DropsWhatTheProviderRefusesAndSaysSo) {
    const auto request = openai_request(
        R"({"model":"x","messages":[{"role":"user","content":"Hi"}],"logprobs":true,"logit_bias":{"1":1},"seed":1})");
    const OpenAiBody out = body_for("groq", request);
    EXPECT_EQ(out.json, R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"seed":1})");
    EXPECT_EQ(out.warnings, (std::vector<std::string>{"dropped_logit_bias", "dropped_logprobs"}));
}

TEST(OpenAiRequest, GivesMistralOnlyWhatItKnows) {
    EXPECT_EQ(fields("mistral", R"("seed":7,"user":"u","top_p":1,"x_new":1,"safe_prompt":true)"),
              R"(,"top_p":1,"random_seed":7,"safe_prompt":true)");
}

TEST(OpenAiRequest, DropsSamplingForModelsThatReason) {
    EXPECT_EQ(fields("openai", R"("temperature":1,"stop":"x")", "o3-mini"), "");
    EXPECT_EQ(fields("openai", R"("temperature":1,"stop":"x")", "gpt-5-mini"), R"(,"stop":"x")");
    EXPECT_EQ(fields("openai", R"("temperature":1)", "gpt-5-chat-latest"), R"(,"temperature":1)");
    EXPECT_EQ(fields("openai", R"("temperature":1)", "gpt-4o"), R"(,"temperature":1)");
    EXPECT_EQ(fields("openai", R"("temperature":1)", "gpt-5.2"), R"(,"temperature":1)");
    EXPECT_EQ(fields("openai", R"("temperature":1,"reasoning_effort":"high")", "gpt-5.2"),
              R"(,"reasoning_effort":"high")");
}

TEST(OpenAiRequest, RefusesSeveralAnswersWhereThereIsOnlyOne) {
    const auto request =
        openai_request(R"({"model":"x","messages":[{"role":"user","content":"Hi"}],"n":2})");
    const auto refused = write_openai_body(*find_preset("deepseek"), "deepseek", request, "m");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::unsupported_parameter);
    EXPECT_EQ(refused.error().param, "n");
    EXPECT_EQ(fields("openai", R"("n":2)"), R"(,"n":2)");
}

// Reasoning.

TEST(OpenAiRequest, SaysTheEffortInTheProvidersWords) {
    EXPECT_EQ(fields("openai", R"("reasoning_effort":"minimal")"),
              R"(,"reasoning_effort":"minimal")");
    EXPECT_EQ(fields("openai", R"("reasoning":{"effort":"low"})"), R"(,"reasoning_effort":"low")");
    EXPECT_EQ(fields("openai", R"("thinking":{"type":"enabled","budget_tokens":4000})"),
              R"(,"reasoning_effort":"medium")");
    EXPECT_EQ(fields("mistral", R"("reasoning_effort":"low")", "mistral-small-latest"),
              R"(,"reasoning_effort":"high")");
    EXPECT_EQ(fields("xai", R"("reasoning_effort":"minimal")", "grok-4.3"),
              R"(,"reasoning_effort":"low")");
    EXPECT_EQ(fields("groq", R"("reasoning_effort":"low")", "qwen/qwen3-32b"),
              R"(,"reasoning_effort":"default")");
}

TEST(OpenAiRequest, DropsAnEffortTheModelDoesNotKnow) {
    const auto request = openai_request(
        R"({"model":"x","messages":[{"role":"user","content":"Hi"}],"reasoning_effort":"low"})");
    const OpenAiBody out = body_for("xai", request, "grok-code-fast-1");
    EXPECT_EQ(out.json.find("reasoning"), std::string::npos);
    EXPECT_EQ(out.warnings, std::vector<std::string>{"dropped_reasoning_effort"});
}

TEST(OpenAiRequest, SwitchesThinkingTheProvidersWay) {
    EXPECT_EQ(fields("deepseek", R"("reasoning_effort":"none")"),
              R"(,"thinking":{"type":"disabled"})");
    EXPECT_EQ(fields("deepseek", R"("reasoning_effort":"medium")"),
              R"(,"reasoning_effort":"high")");
    EXPECT_EQ(fields("moonshot", R"("thinking":{"type":"enabled"})"),
              R"(,"thinking":{"type":"enabled"})");
    EXPECT_EQ(fields("openai-compatible", R"("thinking":{"type":"disabled"})"),
              R"(,"thinking":{"type":"disabled"})");
    EXPECT_EQ(fields("openai-compatible", R"("reasoning_effort":"none")"),
              R"(,"reasoning_effort":"none")");
}

TEST(OpenAiRequest, LetsNobodyHaveOpenRouterAskOtherModels) {
    EXPECT_EQ(fields("openrouter", R"("models":["dear/one"],"route":"fallback","preset":"p")"), "");
    EXPECT_EQ(fields("openrouter", R"("provider":{"sort":"price"})"),
              R"(,"provider":{"sort":"price"})");
}

TEST(OpenAiRequest, GivesOpenRouterItsOwnReasoningObject) {
    EXPECT_EQ(fields("openrouter", R"("reasoning":{"max_tokens":99,"exclude":true})"),
              R"(,"reasoning":{"max_tokens":99,"exclude":true})");
    EXPECT_EQ(fields("openrouter", R"("reasoning_effort":"high")"),
              R"(,"reasoning":{"effort":"high"})");
    EXPECT_EQ(fields("openrouter", R"("include_reasoning":false)"),
              R"(,"reasoning":{"exclude":true})");
}

TEST(OpenAiRequest, AddsWhatAProviderNeedsUnlessTheClientSaidOtherwise) {
    EXPECT_EQ(fields("minimax", R"("top_p":1)"), R"(,"top_p":1,"reasoning_split":true)");
    EXPECT_EQ(fields("minimax", R"("reasoning_split":false)"), R"(,"reasoning_split":false)");
}

// Tools and formats.

constexpr std::string_view two_tools =
    R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object", "$schema":"x"}}},{"type":"function","function":{"name":"g"}}])";

TEST(OpenAiRequest, PassesToolsOnAsTheyAre) {
    EXPECT_EQ(fields("openai", two_tools), fmt::format(",{}", two_tools));
}

TEST(OpenAiRequest, SaysRequiredInTheProvidersWord) {
    const std::string members = fmt::format(R"({},"tool_choice":"required")", two_tools);
    EXPECT_TRUE(fields("openai", members).ends_with(R"("tool_choice":"required")"));
    EXPECT_TRUE(fields("mistral", members).ends_with(R"("tool_choice":"any")"));
}

TEST(OpenAiRequest, SwitchesThinkingOffWhereItForbidsForcedTools) {
    const std::string members = fmt::format(R"({},"tool_choice":"required")", two_tools);
    EXPECT_TRUE(fields("deepseek", members).ends_with(R"(,"thinking":{"type":"disabled"})"));
    EXPECT_EQ(fields("openai", members).find("thinking"), std::string::npos);
    const std::string asked = fmt::format(R"({},"reasoning_effort":"high")", members);
    EXPECT_EQ(fields("deepseek", asked).find("thinking"), std::string::npos);
}

TEST(OpenAiRequest, FiltersToolsForThoseWhoDoNotKnowAllowedTools) {
    const std::string members = fmt::format(
        R"({},"tool_choice":{{"type":"allowed_tools","allowed_tools":{{"mode":"required","tools":[{{"type":"function","function":{{"name":"g"}}}}]}}}})",
        two_tools);
    EXPECT_EQ(fields("openai", members), fmt::format(",{}", members));
    EXPECT_EQ(fields("groq", members),
              R"(,"tools":[{"type":"function","function":{"name":"g"}}],"tool_choice":"required")");
}

TEST(OpenAiRequest, StripsCacheMarksFromToolsForThoseWhoRefuseThem) {
    const std::string members =
        R"("tools":[{"type":"function","cache_control":{"type":"ephemeral"},"function":{"name":"f","parameters":{"type":"object"}}}])";
    EXPECT_EQ(
        fields("openai", members),
        R"(,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}])");
    EXPECT_EQ(
        fields("openrouter", members),
        R"(,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}},"cache_control":{"type":"ephemeral"}}])");
}

TEST(OpenAiRequest, SaysWhichToolsTheClientWants) {
    const std::string_view custom =
        R"("tools":[{"type":"custom","custom":{"name":"sql","description":"d","format":{"type":"text"}}},)"
        R"({"type":"function","function":{"name":"f","parameters":{"type":"object"},"strict":true,"x_new":1}}],)"
        R"("tool_choice":{"type":"custom","custom":{"name":"sql"}},"parallel_tool_calls":false)";
    EXPECT_EQ(fields("openai", custom), fmt::format(",{}", custom));
    EXPECT_TRUE(fields("openai", fmt::format(R"({},"tool_choice":"none")", two_tools))
                    .ends_with(R"("tool_choice":"none")"));
}

TEST(OpenAiRequest, GivesToolsThatTheProviderRunsToTheirOwnApiOnly) {
    chat::Request request = testing::asking({said(chat::Role::user, "Hi")});
    request.max_tokens.reset();
    request.tools = {{.kind = chat::Tool::Kind::provider,
                      .type = "web search",
                      .raw = R"({"type":"web search","x":1})"}};
    request.tool_choice.kind = chat::ToolChoice::Kind::automatic;
    EXPECT_TRUE(
        body_for("openai", request)
            .json.ends_with(R"("tools":[{"type":"web search","x":1}],"tool_choice":"auto"})"));
    request.api = chat::Api::messages;
    const OpenAiBody out = body_for("openai", request);
    EXPECT_EQ(out.json, R"({"model":"m","messages":[{"role":"user","content":"Hi"}]})");
    EXPECT_EQ(out.warnings, std::vector<std::string>{"dropped_tool_web_search"});
}

TEST(OpenAiRequest, KeepsFieldsOfOtherApisFromThoseWhoRefuseThem) {
    chat::Request request = testing::hello();
    request.sampling.top_k = {"64", 64};
    EXPECT_TRUE(body_for("openai", request).json.contains(R"("top_k":64)"))
        << "who writes it in this API means it";
    request.api = chat::Api::gemini;
    EXPECT_TRUE(body_for("vllm", request).json.contains(R"("top_k":64)"));
    for (const std::string_view kind : {"openai", "azure"}) {
        const OpenAiBody out = body_for(kind, request);
        EXPECT_FALSE(out.json.contains("top_k")) << kind;
        EXPECT_EQ(out.warnings, std::vector<std::string>{"dropped_top_k"}) << kind;
    }
}

TEST(OpenAiRequest, LeavesTheDefaultFormatOut) {
    EXPECT_EQ(fields("together", R"("response_format":{"type":"text"})"), "");
    EXPECT_EQ(fields("together", R"("response_format":{"type":"json_object"})"),
              R"(,"response_format":{"type":"json_object"})");
}

TEST(OpenAiRequest, AsksForASchema) {
    const std::string_view format =
        R"("response_format":{"type":"json_schema","json_schema":{"name":"n","description":"d","schema":{"type":"object"},"strict":true}})";
    EXPECT_EQ(fields("openai", format), fmt::format(",{}", format));
    chat::Request unnamed = testing::hello();
    unnamed.output = {.kind = chat::OutputFormat::Kind::json_schema, .schema_raw = "{}"};
    EXPECT_TRUE(body_for("openai", unnamed)
                    .json.contains(R"("json_schema":{"name":"answer","schema":{}})"));
}

TEST(OpenAiRequest, AsksForASchemaInWordsWhereThereIsNoFieldForIt) {
    EXPECT_EQ(
        body(
            "deepseek",
            R"({"model":"x","messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}}})"),
        R"({"model":"m","messages":[{"role":"system","content":"Answer with one JSON object that fits this JSON Schema, and nothing else:\n{\"type\":\"object\"}"},{"role":"user","content":"Hi"}],"response_format":{"type":"json_object"}})");
}

TEST(OpenAiRequest, CallsAToolByANameThatTheProviderTakes) {
    const std::string client =
        R"({"model":"x","messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"a/b","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}],)"
        R"("tools":[{"type":"function","function":{"name":"a/b"}}],"tool_choice":{"type":"function","function":{"name":"a/b"}}})";
    const std::string name = ToolNames(ToolNameRule{}).sent("a/b");
    const std::string sent = body("openai", client);
    EXPECT_FALSE(sent.contains("a/b")) << sent;
    std::size_t times = 0;
    for (std::size_t at = 0; (at = sent.find(name, at)) != std::string::npos; ++at) ++times;
    EXPECT_EQ(times, 3u) << sent;
    EXPECT_FALSE(body("vllm", client).contains(name));
}

TEST(OpenAiRequest, WritesSchemasAsMoonshotTakesThem) {
    EXPECT_EQ(
        fields(
            "moonshot",
            R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"p":{"type":"array","items":[{"type":"number"}]}}}}}])"),
        R"(,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"number"}]}}}}}])");
    EXPECT_EQ(
        fields(
            "moonshot",
            R"("response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"$schema":"x","type":"object"}}})"),
        R"(,"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object"}}})");
}

}  // namespace
}  // namespace runnel::provider
