#include "provider/openai_request.hpp"

#include "provider/openai_messages.hpp"
#include "support/openai_requests.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using testing::openai_request;

OpenAiBody body_for(std::string_view kind, const chat::Request& request,
                    std::string_view model = "m") {
    auto body = write_openai_body(*find_preset(kind), kind, request, model);
    if (!body) throw std::runtime_error(body.error().message);
    return std::move(*body);
}

std::string body(std::string_view kind, std::string client, std::string_view model = "m") {
    return body_for(kind, openai_request(std::move(client)), model).json;
}

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

// What becomes of these messages.
std::string messages(std::string_view kind, std::string_view list, std::string_view model = "m") {
    const std::string out =
        body(kind, fmt::format(R"({{"messages":[{}],"model":"x"}})", list), model);
    const std::string end = fmt::format(R"(,"model":"{}"}})", model);
    EXPECT_TRUE(out.starts_with(R"({"messages":)") && out.ends_with(end)) << out;
    return out.substr(12, out.size() - 12 - end.size());
}

TEST(OpenAiRequest, PassesEveryFieldOnInTheClientsOrder) {
    EXPECT_EQ(
        body(
            "openai",
            R"({ "temperature": 0.20, "model": "fast", "x_new": {"b": 1, "a": 12345678901234567890},
                               "messages": [ {"role": "user", "content": "é \u00e9 \"q\""} ], "user": "u" })",
            "gpt-4o"),
        R"({"temperature":0.20,"model":"gpt-4o","x_new":{"b": 1, "a": 12345678901234567890},)"
        R"("messages":[{"role": "user", "content": "é \u00e9 \"q\""}],"user":"u"})");
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
        R"({"model":"x","messages":[{"role":"user","content":"Hi"}],"logit_bias":{"1":1},"logprobs":true,"seed":1})");
    const OpenAiBody out = body_for("groq", request);
    EXPECT_EQ(out.json, R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"seed":1})");
    EXPECT_EQ(out.warnings, (std::vector<std::string>{"dropped_logit_bias", "dropped_logprobs"}));
}

TEST(OpenAiRequest, GivesMistralOnlyWhatItKnows) {
    EXPECT_EQ(fields("mistral", R"("seed":7,"user":"u","top_p":1,"x_new":1,"safe_prompt":true)"),
              R"(,"random_seed":7,"top_p":1,"safe_prompt":true)");
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
    EXPECT_EQ(fields("openrouter", members), fmt::format(",{}", members));
}

TEST(OpenAiRequest, LeavesTheDefaultFormatOut) {
    EXPECT_EQ(fields("together", R"("response_format":{"type":"text"})"), "");
    EXPECT_EQ(fields("together", R"("response_format":{"type":"json_object"})"),
              R"(,"response_format":{"type":"json_object"})");
}

TEST(OpenAiRequest, AsksForASchemaInWordsWhereThereIsNoFieldForIt) {
    EXPECT_EQ(
        body(
            "deepseek",
            R"({"model":"x","messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}}})"),
        R"({"model":"m","messages":[{"role":"system","content":"Answer with one JSON object that fits this JSON Schema, and nothing else:\n{\"type\":\"object\"}"},{"role":"user","content":"Hi"}],"response_format":{"type":"json_object"}})");
}

// Messages.

TEST(OpenAiMessages, PassesWhatNeedsNoChangeOnAsItIs) {
    const std::string_view list =
        R"({"role":"system","content":"s"},{"role": "user", "name":"n", "content": [ {"type":"text","text":"t"}, {"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}} ], "extra":1})";
    EXPECT_EQ(messages("openai", list), fmt::format("[{}]", list));
}

TEST(OpenAiMessages, CallsTheDeveloperSystemForThoseWhoDoNotKnowIt) {
    const std::string_view list = R"({"role":"developer","content":"s"})";
    EXPECT_EQ(messages("openai", list), R"([{"role":"developer","content":"s"}])");
    EXPECT_EQ(messages("xai", list), R"([{"role":"system","content":"s"}])");
}

TEST(OpenAiMessages, JoinsTextPartsForThoseWhoWantAString) {
    const std::string_view list =
        R"({"role":"user","content":[{"type":"text","text":"a \"b\""},{"type":"text","text":"c"}]})";
    EXPECT_EQ(messages("deepseek", list), R"([{"role":"user","content":"a \"b\"\nc"}])");
    const std::string_view image =
        R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]})";
    EXPECT_EQ(messages("moonshot", image), fmt::format("[{}]", image));
}

TEST(OpenAiMessages, StripsCacheMarksForThoseWhoRefuseThem) {
    const std::string_view list =
        R"({"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b"}]})";
    EXPECT_EQ(
        messages("openai", list),
        R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])");
    EXPECT_EQ(messages("openrouter", list), fmt::format("[{}]", list));
}

TEST(OpenAiMessages, TakesABareImageAddress) {
    EXPECT_EQ(
        messages("azure", R"({"role":"user","content":[{"type":"image_url","image_url":"u"}]})"),
        R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}])");
}

TEST(OpenAiMessages, DropsNamesWhereTheyAreRefused) {
    const std::string_view list = R"({"role":"user","name":"n","content":"a"})";
    EXPECT_EQ(messages("groq", list), R"([{"role":"user","content":"a"}])");
    EXPECT_EQ(messages("mistral", list), R"([{"role":"user","content":"a"}])");
    EXPECT_EQ(messages("together", list), fmt::format("[{}]", list));
}

constexpr std::string_view tool_loop =
    R"({"role":"user","content":"q"},)"
    R"({"role":"assistant","content":null,"refusal":null,"function_call":null,"reasoning_content":"hm","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]},)"
    R"({"role":"tool","tool_call_id":"call_1","content":"r"})";

TEST(OpenAiMessages, CleansUpAnAssistantsTurn) {
    EXPECT_EQ(
        messages("openai", tool_loop),
        R"([{"role":"user","content":"q"},)"
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
        R"({"role":"tool","tool_call_id":"call_1","content":"r"}])");
}

TEST(OpenAiMessages, DropsEmptyListsOfCalls) {
    EXPECT_EQ(
        messages("openai", R"({"role":"assistant","content":"a","tool_calls":[],"audio":null})"),
        R"([{"role":"assistant","content":"a"}])");
}

TEST(OpenAiMessages, LeavesCustomCallsAlone) {
    const std::string_view list =
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"sql","input":""}}]},{"role":"tool","tool_call_id":"c","content":"r"})";
    EXPECT_EQ(messages("openai", list), fmt::format("[{}]", list));
}

TEST(OpenAiMessages, GivesReasoningBackToThoseWhoWantIt) {
    EXPECT_NE(messages("deepseek", tool_loop).find(R"(}}],"reasoning_content":"hm"})"),
              std::string::npos);
    EXPECT_NE(messages("moonshot", tool_loop).find(R"(}}],"reasoning_content":"hm"})"),
              std::string::npos);
    EXPECT_NE(messages("vllm", tool_loop).find(R"("reasoning_content":"hm")"), std::string::npos);
    EXPECT_NE(messages("openrouter", tool_loop).find(R"(}}],"reasoning":"hm"})"),
              std::string::npos);
    EXPECT_EQ(messages("groq", tool_loop).find("hm"), std::string::npos);
}

TEST(OpenAiMessages, FillsTheGapWhereReasoningWasLost) {
    const std::string_view plain = R"({"role":"assistant","content":"a"})";
    EXPECT_EQ(messages("deepseek", plain),
              R"([{"role":"assistant","content":"a","reasoning_content":""}])");
    EXPECT_EQ(messages("moonshot", plain), fmt::format("[{}]", plain));
    const std::string_view calls =
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]})";
    EXPECT_NE(messages("moonshot", calls).find(R"("reasoning_content":" ")"), std::string::npos);
}

TEST(OpenAiMessages, PrefersTheReasoningThatWasKeptForThisModel) {
    auto request = openai_request(fmt::format(R"({{"model":"x","messages":[{}]}})", tool_loop));
    request.messages[1].kept_state = {{"deepseek/other", "\"theirs\""}, {"deepseek/m", "\"kept\""}};
    EXPECT_NE(body_for("deepseek", request).json.find(R"("reasoning_content":"kept")"),
              std::string::npos);
    request.messages[1].kept_state.pop_back();
    EXPECT_NE(body_for("deepseek", request).json.find(R"("reasoning_content":"hm")"),
              std::string::npos);
}

TEST(OpenAiMessages, GivesOpenRouterItsDetailsBack) {
    auto request = openai_request(fmt::format(R"({{"model":"x","messages":[{}]}})", tool_loop));
    request.messages[1].kept_state = {
        {"openrouter/m", R"([{"type":"reasoning.encrypted","data":"zz"}])"}};
    EXPECT_NE(body_for("openrouter", request)
                  .json.find(R"("reasoning_details":[{"type":"reasoning.encrypted","data":"zz"}])"),
              std::string::npos);
}

// Google's server of OpenAI's format refuses the results of a call that has lost its signature.
TEST(OpenAiMessages, GivesBackWhatStoodBesideACall) {
    auto request = openai_request(fmt::format(R"({{"model":"x","messages":[{}]}})", tool_loop));
    const std::string state = R"({"google":{"thought_signature":"s"}})";
    const std::string member = R"(,"extra_content":)" + state;
    request.messages[1].kept_state = {{"openai-compatible/m", state}};
    EXPECT_TRUE(body_for("openai-compatible", request).json.contains(member));
    EXPECT_FALSE(body_for("openai", request).json.contains(member));
    request.messages[1].kept_state = {{"openai-compatible/other", state}};
    EXPECT_FALSE(body_for("openai-compatible", request).json.contains(member));
}

TEST(OpenAiMessages, GivesMistralIdsOfNineCharactersThatStillMatch) {
    const std::string id = nine_character_id("call_1");
    EXPECT_EQ(
        messages("mistral", tool_loop),
        fmt::format(
            R"([{{"role":"user","content":"q"}},)"
            R"({{"role":"assistant","content":null,"tool_calls":[{{"id":"{0}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},)"
            R"({{"role":"tool","tool_call_id":"{0}","content":"r"}}])",
            id));
    EXPECT_EQ(id.size(), 9);
    EXPECT_NE(id, nine_character_id("call_2"));
    EXPECT_EQ(nine_character_id("g6fVbXS8K"), "g6fVbXS8K");
}

TEST(OpenAiMessages, LetsTheAssistantSpeakBetweenToolAndUserForMistral) {
    const std::string list = fmt::format(R"({},{{"role":"user","content":"and?"}})", tool_loop);
    EXPECT_NE(
        messages("mistral", list)
            .find(
                R"("content":"r"},{"role":"assistant","content":"OK"},{"role":"user","content":"and?"}])"),
        std::string::npos);
    EXPECT_EQ(messages("openai", list).find(R"("OK")"), std::string::npos);
}

TEST(OpenAiMessages, CallsAFileADocumentForMistral) {
    const std::string_view user =
        R"({"role":"user","content":[{"type":"text","text":"q"},{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,eA=="}},{"type":"file","file":{"file_id":"f1"}}]})";
    EXPECT_EQ(
        messages("mistral", user),
        R"([{"role":"user","content":[{"type":"text","text":"q"},{"type":"document_url","document_url":"data:application/pdf;base64,eA==","document_name":"a.pdf"},{"type":"file","file_id":"f1"}]}])");
    EXPECT_EQ(messages("openai", user), fmt::format("[{}]", user));
}

// OpenAI, Mistral and DeepSeek refuse a conversation in which a call has no result.
TEST(OpenAiMessages, FillsTheGapWhereACallHasNoResult) {
    const std::string_view calls =
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]})";
    const std::string_view result = R"({"role":"tool","tool_call_id":"b","content":"r"})";
    const std::string_view missing =
        R"({"role":"tool","tool_call_id":"a","content":"No result was returned."})";
    const std::string_view user = R"({"role":"user","content":"q"})";
    EXPECT_EQ(messages("openai", fmt::format("{},{},{}", calls, result, user)),
              fmt::format("[{},{},{},{}]", calls, result, missing, user));
    EXPECT_EQ(messages("openai", fmt::format("{},{}", calls, result)),
              fmt::format("[{},{},{}]", calls, result, missing));
    const std::string both = messages("mistral", fmt::format("{},{}", calls, user));
    EXPECT_TRUE(both.contains(R"(returned."},{"role":"assistant","content":"OK"},{"role":"user")"))
        << both;
}

TEST(OpenAiMessages, MarksAPrefillForMistral) {
    EXPECT_EQ(
        messages("mistral", R"({"role":"user","content":"q"},{"role":"assistant","content":"A:"})"),
        R"([{"role":"user","content":"q"},{"role":"assistant","content":"A:","prefix":true}])");
}

TEST(OpenAiMessages, WritesMessagesThatNoClientWrote) {
    chat::Request request;
    chat::Message user{.role = chat::Role::developer};
    user.parts = {{.kind = chat::Part::Kind::text, .text_escaped = "Hi"}};
    chat::Message call{.role = chat::Role::assistant};
    call.tool_calls.push_back({.id = "a", .name = "f"});
    chat::Message result{.role = chat::Role::tool, .tool_call_id = "a"};
    result.parts = {{.kind = chat::Part::Kind::text, .text_escaped = "r"}};
    request.messages = {user, call, result};
    EXPECT_EQ(
        body_for("xai", request).json,
        R"({"model":"m","messages":[{"role":"system","content":"Hi"},)"
        R"({"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
        R"({"role":"tool","content":"r","tool_call_id":"a"}]})");
}

}  // namespace
}  // namespace runnel::provider
