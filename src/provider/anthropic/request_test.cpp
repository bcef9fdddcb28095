#include "provider/anthropic/request.hpp"

#include "provider/anthropic/ids.hpp"
#include "provider/registry.hpp"
#include "support/anthropic_bodies.hpp"
#include "support/chat_requests.hpp"
#include "support/messages_requests.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::anthropic {
namespace {

using namespace runnel::testing;

TEST(AnthropicRequest, AsksInTheFewestWords) {
    Request request = hello();
    request.streaming = chat::Streaming::yes;
    EXPECT_EQ(body_of(request),
              R"({"model":"claude-sonnet-4-5","max_tokens":100,"stream":true,)"
              R"("messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]})");
}

TEST(AnthropicRequest, AlwaysHasMaxTokensAndNeverMoreThanTheModelTakes) {
    struct Case {
        std::string_view model;
        std::string_view by_default;
        std::string_view of_a_million;
    };
    constexpr Case cases[] = {
        {"claude-3-opus-20240229", "4096", "4096"},
        {"claude-3-5-haiku-latest", "8192", "8192"},
        {"claude-opus-4-20250514", "32000", "32000"},
        {"anthropic/claude-haiku-4.5", "64000", "64000"},
        {"claude-opus-4-6", "128000", "128000"},
        {"claude-next-9", "128000", "128000"},
        {"MiniMax-M2", "4096", "1000000"},
    };
    for (const Case& c : cases) {
        Request request = hello();
        request.max_tokens.reset();
        EXPECT_EQ(between(body_of(request, c.model), "max_tokens", "messages"), c.by_default);
        request.max_tokens = 1'000'000;
        EXPECT_EQ(between(body_of(request, c.model), "max_tokens", "messages"), c.of_a_million);
    }
}

TEST(AnthropicRequest, RefusesWhatWouldChangeTheAnswer) {
    struct Case {
        std::string_view param;
        ErrorKind kind;
        Request request;
        std::string_view model = sonnet;
    };
    std::vector<Case> cases;
    const auto refuses = [&](std::string_view param, ErrorKind kind) -> Case& {
        return cases.emplace_back(Case{param, kind, hello()});
    };
    refuses("n", ErrorKind::unsupported_parameter).request.n = 2;
    refuses("logprobs", ErrorKind::unsupported_parameter).request.sampling.logprobs =
        chat::Wish::yes;
    refuses("messages[0].content[0]", ErrorKind::unsupported_parameter).request.messages = {
        said(Role::user, {{chat::Audio{.source = {.data_escaped = "AAAA"}}}})};
    refuses("messages[0].content[1]", ErrorKind::unsupported_parameter).request.messages = {
        said(Role::user, {text("a"), {chat::Other{.type = "x", .raw = "{}"}}})};
    refuses("messages[0].content[0]", ErrorKind::invalid_value).request.messages = {
        said(Role::user, {image("data:image/png,xyz")})};
    refuses("messages[0].content[0]", ErrorKind::unsupported_parameter).request.messages = {
        said(Role::user, {image("data:application/zip;base64,UEsD")})};
    Case& forced = refuses("tool_choice", ErrorKind::unsupported_parameter);
    forced.model = "claude-fable-5";
    forced.request.tools = {tool("find")};
    forced.request.tool_choice.kind = chat::ToolChoice::Kind::required;
    for (const Case& c : cases) {
        const Error error = error_of(c.request, c.model);
        EXPECT_EQ(error.kind, c.kind) << c.param;
        EXPECT_EQ(error.param, c.param) << error.message;
    }
}

TEST(AnthropicRequest, WritesToolsWithTheSchemasTheyCameWith) {
    Request request = hello();
    request.tools = {
        tool("a", R"({"type": "object", "properties": {"z": {"minimum": 1.0}, "a": {}}})"),
        tool("b", ""), tool("c", R"({"properties":{}})"), tool("d", "{}")};
    request.tools[0].description_escaped = "Says \\\"a\\\"";
    request.tools[1].kind = chat::Tool::Kind::custom;
    EXPECT_EQ(
        between(body_of(request), "tools", "messages"),
        R"([{"name":"a","description":"Says \"a\"","input_schema":{"type":"object","properties":{"z":{"minimum":1.0},"a":{}}}},)"
        R"({"name":"b","input_schema":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}},)"
        R"({"name":"c","input_schema":{"type":"object","properties":{}}},)"
        R"({"name":"d","input_schema":{"type":"object"}}])");
}

TEST(AnthropicRequest, TranslatesToolChoiceAndParallelCalls) {
    using Kind = chat::ToolChoice::Kind;
    struct Case {
        chat::ToolChoice choice;
        std::optional<bool> parallel;
        std::string_view written;
    };
    const Case cases[] = {
        {{.kind = Kind::automatic}, {}, R"({"type":"auto"})"},
        {{.kind = Kind::none}, false, R"({"type":"none"})"},
        {{.kind = Kind::required}, true, R"({"type":"any"})"},
        {{.kind = Kind::named, .name = "a"}, {}, R"({"type":"tool","name":"a"})"},
        {{.kind = Kind::absent}, false, R"({"type":"auto","disable_parallel_tool_use":true})"},
        {{.kind = Kind::required}, false, R"({"type":"any","disable_parallel_tool_use":true})"},
    };
    for (const Case& c : cases) {
        Request request = hello();
        request.tools = {tool("a")};
        request.tool_choice = c.choice;
        request.parallel_tool_calls = c.parallel;
        EXPECT_EQ(between(body_of(request), "tool_choice", "tools"), c.written);
    }
    Request plain = hello();
    plain.tools = {tool("a")};
    EXPECT_EQ(body_of(plain).find("tool_choice"), std::string::npos);
}

TEST(AnthropicRequest, SendsOnlyTheAllowedTools) {
    Request request = hello();
    request.tools = {tool("a"), tool("b")};
    request.tool_choice = {.kind = chat::ToolChoice::Kind::allowed,
                           .allowed = {"b"},
                           .allowed_mode = chat::ToolChoice::Mode::required};
    EXPECT_EQ(between(body_of(request), "tool_choice", "messages"),
              R"({"type":"any"},"tools":[{"name":"b","input_schema":{"type":"object"}}])");
}

TEST(AnthropicRequest, DefinesAToolForAConversationThatHasCallsButNoTools) {
    const Request request =
        asking({said(Role::user, "Go"), called({{"a", "{}"}}), result("a", "r")});
    EXPECT_EQ(
        between(body_of(request), "tool_choice", "messages"),
        R"({"type":"none"},"tools":[{"name":"unavailable","description":"Not available.","input_schema":{"type":"object"}}])");
}

TEST(AnthropicRequest, FitsSamplingToTheModel) {
    struct Case {
        std::string_view model;
        std::string_view written;  // between max_tokens and messages
        std::vector<std::string> warnings;
    };
    const Case cases[] = {
        {"claude-3-5-sonnet-latest",
         R"("temperature":1,"top_p":0.90,"top_k":40,)",
         {"clamped_temperature"}},
        {"claude-sonnet-4-5",
         R"("temperature":1,"top_k":40,)",
         {"clamped_temperature", "dropped_top_p"}},
        {"claude-opus-4-7", "", {"dropped_temperature", "dropped_top_p", "dropped_top_k"}},
        {"claude-unknown-7", "", {"dropped_temperature", "dropped_top_p", "dropped_top_k"}},
        {"kimi-k2", R"("temperature":1,"top_p":0.90,"top_k":40,)", {"clamped_temperature"}},
    };
    for (const Case& c : cases) {
        Request request = hello();
        request.sampling.temperature = chat::Number{"1.50", 1.5};
        request.sampling.top_p = chat::Number{"0.90", 0.9};
        request.sampling.top_k = chat::Number{"40", 40};
        const std::string body = body_of(request, c.model);
        EXPECT_NE(body.find(fmt::format(R"("max_tokens":100,{}"messages")", c.written)),
                  std::string::npos)
            << body;
        EXPECT_EQ(warnings_of(request, c.model), c.warnings) << c.model;
    }
    Request exact = hello();
    exact.sampling.temperature = chat::Number{"0.30", 0.3};
    EXPECT_EQ(between(body_of(exact), "temperature", "messages"), "0.30");
}

TEST(AnthropicRequest, DropsHarmlessFieldsWithAWarning) {
    Request request = hello();
    request.sampling.stop = {"END", " \n"};
    request.user = "user-17";
    request.sampling.seed = chat::Number{"7", 7};
    request.sampling.frequency_penalty = chat::Number{"0", 0};
    request.service_tier = "default";
    request.extras = {{"my_own_field", "true"}};
    EXPECT_EQ(between(body_of(request), "stop_sequences", "messages"),
              R"(["END"],"metadata":{"user_id":"user-17"},"service_tier":"standard_only")");
    EXPECT_EQ(warnings_of(request), (std::vector<std::string>{"dropped_seed", "dropped_stop"}));
    for (const std::string_view person : {"a@b.c", "+49 170 1234567"}) {
        request.user = person;
        EXPECT_EQ(body_of(request).find("metadata"), std::string::npos) << person;
    }
}

TEST(AnthropicRequest, TranslatesReasoningEffort) {
    using chat::Effort;
    struct Case {
        std::string_view model;
        chat::ReasoningWish wish;
        std::string_view written;  // from max_tokens to messages
    };
    const Case cases[] = {
        {"claude-sonnet-4-5", {}, "100"},
        {"claude-sonnet-4-5",
         {.effort = Effort::low},
         R"(1124,"thinking":{"type":"enabled","budget_tokens":1024})"},
        {"claude-sonnet-4-5",
         {.effort = Effort::high},
         R"(4196,"thinking":{"type":"enabled","budget_tokens":4096})"},
        {"claude-sonnet-4-5",
         {.budget_tokens = 90'000},
         R"(64000,"thinking":{"type":"enabled","budget_tokens":63999})"},
        {"claude-sonnet-4-5", {.effort = Effort::none}, "100"},
        {"claude-3-5-haiku-latest", {.effort = Effort::high}, "100"},
        {"claude-opus-4-6",
         {.effort = Effort::xhigh},
         R"(100,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"max"})"},
        {"claude-opus-4-6",
         {.budget_tokens = 2000},
         R"(2100,"thinking":{"type":"enabled","budget_tokens":2000})"},
        {"claude-opus-4-7",
         {.effort = Effort::xhigh, .show = chat::ReasoningWish::Show::no},
         R"(100,"thinking":{"type":"adaptive","display":"omitted"},"output_config":{"effort":"xhigh"})"},
        {"claude-opus-4-7",
         {.budget_tokens = 2000},
         R"(100,"thinking":{"type":"adaptive","display":"summarized"})"},
        {"claude-opus-5", {.effort = Effort::none}, R"(100,"thinking":{"type":"disabled"})"},
        {"claude-fable-5", {.effort = Effort::none}, "100"},
        {"claude-fable-5",
         {.effort = Effort::minimal},
         R"(100,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"})"},
    };
    for (const Case& c : cases) {
        Request request = hello();
        request.reasoning = c.wish;
        EXPECT_EQ(between(body_of(request, c.model), "max_tokens", "messages"), c.written)
            << c.model;
    }
}

TEST(AnthropicRequest, GivesSamplingUpForThinking) {
    Request request = hello();
    request.reasoning.effort = chat::Effort::low;
    request.sampling.temperature = chat::Number{"0.5", 0.5};
    EXPECT_EQ(body_of(request).find("temperature"), std::string::npos);
    EXPECT_EQ(warnings_of(request), std::vector<std::string>{"dropped_temperature"});
}

TEST(AnthropicRequest, GivesABudgetUpForAForcedTool) {
    Request request = hello();
    request.reasoning.effort = chat::Effort::low;
    request.tools = {tool("a")};
    request.tool_choice.kind = chat::ToolChoice::Kind::required;
    EXPECT_EQ(body_of(request).find("thinking"), std::string::npos);
    EXPECT_EQ(warnings_of(request), std::vector<std::string>{"dropped_reasoning_effort"});
    EXPECT_NE(body_of(request, "claude-opus-4-7").find("adaptive"), std::string::npos);
}

TEST(AnthropicRequest, AsksForASchemaTheModelCanEnforce) {
    Request request = hello();
    request.output.kind = chat::OutputFormat::Kind::json_schema;
    request.output.schema_raw =
        R"({"type":"object","properties":{"n":{"type":"integer","description":"Count","minimum":1,"maximum":10},)"
        R"("when":{"type":"string","format":"date"},"code":{"type":"string","pattern":"^\"a","format":"x"},)"
        R"("list":{"type":"array","minItems":2,"items":{"oneOf":[{"$ref":"#/$defs/p","description":"d"},{"type":"null"}]}}},)"
        R"("required":["n"],"additionalProperties":true,"$defs":{"p":{"type":"object","properties":{}}}})";
    EXPECT_EQ(
        between(body_of(request), "output_config", "messages"),
        R"({"format":{"type":"json_schema","schema":{"type":"object","properties":{)"
        R"j("n":{"type":"integer","description":"Count (minimum: 1, maximum: 10)"},)j"
        R"("when":{"type":"string","format":"date"},)"
        R"j("code":{"type":"string","description":"(pattern: \"^\\\"a\", format: \"x\")"},)j"
        R"("list":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/p"},{"type":"null"}]},)"
        R"j("description":"(minItems: 2)"}},)j"
        R"("required":["n"],"$defs":{"p":{"type":"object","properties":{},"additionalProperties":false}},)"
        R"("additionalProperties":false}}})");
}

TEST(AnthropicRequest, AsksOldModelsForASchemaByATool) {
    Request request = hello();
    request.output.kind = chat::OutputFormat::Kind::json_schema;
    request.output.schema_raw = R"({"type":"object","properties":{"n":{"minimum":1}}})";
    EXPECT_EQ(
        between(body_of(request, "claude-3-5-sonnet-latest"), "tool_choice", "messages"),
        R"({"type":"tool","name":"runnel_json_answer","disable_parallel_tool_use":true},)"
        R"("tools":[{"name":"runnel_json_answer","description":"Gives the answer to the user. Call it once, at the end.",)"
        R"("input_schema":{"type":"object","properties":{"n":{"minimum":1}}}}])");
    request.tools = {tool("find")};
    EXPECT_EQ(between(body_of(request, "claude-3-5-sonnet-latest"), "tool_choice", "tools"),
              R"({"type":"any","disable_parallel_tool_use":true})");
}

TEST(AnthropicRequest, AsksForAnyJsonInWords) {
    Request request = hello();
    request.output.kind = chat::OutputFormat::Kind::json_object;
    EXPECT_EQ(
        between(body_of(request), "system", "messages"),
        R"([{"type":"text","text":"Answer with one JSON object and nothing else: no explanation, no code fence."}])");
}

TEST(AnthropicRequest, MarksStrictToolsWhereTheModelCanKeepThem) {
    Request request = hello();
    request.tools = {
        tool("a", R"({"type":"object","properties":{"n":{"type":"integer","minimum":1}}})")};
    request.tools[0].strict = true;
    EXPECT_EQ(
        between(body_of(request), "tools", "messages"),
        R"j([{"name":"a","input_schema":{"type":"object","properties":{"n":{"type":"integer","description":"(minimum: 1)"}},)j"
        R"("additionalProperties":false},"strict":true}])");
    EXPECT_EQ(warnings_of(request, "claude-3-5-sonnet-latest"),
              std::vector<std::string>{"dropped_strict"});
}

TEST(AnthropicRequest, CallsAToolAndItsChoiceByTheSameName) {
    Request request = hello();
    request.tools = {tool("a.b")};
    request.tool_choice = {.kind = chat::ToolChoice::Kind::named, .name = "a.b"};
    EXPECT_EQ(
        between(body_of(request), "tool_choice", "messages"),
        fmt::format(
            R"({{"type":"tool","name":"{0}"}},"tools":[{{"name":"{0}","input_schema":{{"type":"object"}}}}])",
            ToolNames(tool_name_rule).sent("a.b")));
}

chat::Tool search() {
    chat::Tool tool;
    tool.kind = chat::Tool::Kind::provider;
    tool.name = "web_search";
    tool.type = "web_search_20250305";
    tool.raw = R"({"type":"web_search_20250305","name":"web_search"})";
    return tool;
}

TEST(AnthropicRequest, PassesOnWhatOnlyItsOwnApiSays) {
    Request request = hello();
    request.api = chat::Api::messages;
    request.tools = {tool("a"), search()};
    request.tools[0].extras = {{"defer_loading", "true"}};
    request.tools[0].cache.emplace();
    request.service_tier = "standard_only";
    request.extras = {{"container", R"("c")"}, {"mcp_servers", "[]"}};
    EXPECT_EQ(
        body_of(request),
        R"({"model":"claude-sonnet-4-5","max_tokens":100,"service_tier":"standard_only","container":"c","mcp_servers":[],)"
        R"("tools":[{"name":"a","input_schema":{"type":"object"},"defer_loading":true,"cache_control":{"type":"ephemeral"}},)"
        R"({"type":"web_search_20250305","name":"web_search"}],)"
        R"("messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]})");
    EXPECT_EQ(warnings_of(request), std::vector<std::string>{});
}

TEST(AnthropicRequest, DropsTheToolsOfOtherApisWithAWarning) {
    Request request = hello();
    request.api = chat::Api::responses;
    request.tools = {search()};
    request.tools[0].type = "file search\r\n";
    request.tool_choice.kind = chat::ToolChoice::Kind::required;
    request.extras = {{"background", "true"}};
    EXPECT_EQ(body_of(request), body_of(hello()));
    EXPECT_EQ(warnings_of(request), std::vector<std::string>{"dropped_tool_file_search__"});
}

TEST(AnthropicRequest, LeavesALimitThatCountsThinkingInAsItIs) {
    Request request = hello();
    request.api = chat::Api::messages;
    request.max_tokens = 4000;
    request.reasoning.budget_tokens = 2000;
    EXPECT_EQ(between(body_of(request), "max_tokens", "messages"),
              R"(4000,"thinking":{"type":"enabled","budget_tokens":2000})");
    request.reasoning = {.effort = chat::Effort::medium, .effort_is_implied = true};
    EXPECT_EQ(between(body_of(request, "claude-opus-4-7"), "max_tokens", "messages"),
              R"(4000,"thinking":{"type":"adaptive","display":"summarized"})");
}

std::string header(const Outgoing& outgoing, std::string_view name) {
    std::string values;
    for (const Header& header : outgoing.headers)
        if (header.name == name) values += values.empty() ? header.value : " and " + header.value;
    return values;
}

// What Claude Code sends. A key that stands there twice is an error, or means another thing to each
// reader.
TEST(AnthropicRequest, SaysWhatAClientOfItsOwnApiSaidOnceAndInItsWords) {
    const std::string body = body_of(testing::messages_request(
        R"({"model":"m","max_tokens":9000,"system":"Be brief.","stream":true,)"
        R"("thinking":{"type":"enabled","budget_tokens":2048},"service_tier":"standard_only",)"
        R"("output_config":{"effort":"high","task_budget":5},"metadata":{"user_id":"u-1"},)"
        R"("context_management":{"edits":[]},"messages":[{"role":"user","content":"Hi"}]})"));
    for (const std::string_view field :
         {R"("thinking":{"type":"enabled","budget_tokens":2048})", R"("max_tokens":9000)",
          R"("output_config":{"effort":"high","task_budget":5})", R"("metadata":{"user_id":"u-1"})",
          R"("context_management":{"edits":[]})", R"("service_tier":"standard_only")",
          R"("stream":true)"})
        EXPECT_TRUE(body.contains(field)) << field << " in " << body;
    for (const std::string_view key :
         {"thinking", "output_config", "metadata", "service_tier", "max_tokens", "stream"}) {
        const std::string name = fmt::format(R"("{}":)", key);
        EXPECT_EQ(body.find(name), body.rfind(name)) << key << " twice in " << body;
    }
}

TEST(AnthropicProvider, AddsItsPathToWhateverBaseUrlItIsGiven) {
    struct Case {
        std::string base_url;
        std::string_view origin;
        std::string_view path;
    };
    const Case cases[] = {
        {"", "https://api.anthropic.com", "/v1/messages"},
        {"http://127.0.0.1:9001", "http://127.0.0.1:9001", "/v1/messages"},
        {"https://api.anthropic.com/v1/", "https://api.anthropic.com", "/v1/messages"},
        {"https://api.minimax.io/anthropic", "https://api.minimax.io", "/anthropic/v1/messages"},
    };
    for (const Case& c : cases) {
        const auto provider =
            make_anthropic({.name = "c", .kind = "anthropic", .base_url = c.base_url});
        const auto outgoing = provider->write_request(hello(), sonnet);
        ASSERT_TRUE(outgoing);
        EXPECT_EQ(provider->origin(), c.origin);
        EXPECT_EQ(outgoing->path, c.path);
    }
}

TEST(AnthropicProvider, SendsTheHeadersTheApiWantsAndNoMore) {
    const auto provider =
        make_anthropic({.name = "c",
                        .kind = "anthropic",
                        .base_url = "",
                        .headers = {{"Anthropic-Beta", "mine"}, {"X-Team", "t"}}});
    Request request = hello();
    request.streaming = chat::Streaming::yes;
    request.messages.push_back(
        said(Role::user,
             {marked(text("a"), "1h"), {chat::File{.source = {.file_id_escaped = "file_1"}}}}));
    const auto outgoing = provider->write_request(request, sonnet);
    ASSERT_TRUE(outgoing);
    EXPECT_EQ(header(*outgoing, "anthropic-version"), "2023-06-01");
    EXPECT_EQ(header(*outgoing, "accept"), "text/event-stream");
    EXPECT_EQ(header(*outgoing, "accept-encoding"), "identity");
    EXPECT_EQ(header(*outgoing, "X-Team"), "t");
    EXPECT_EQ(header(*outgoing, "anthropic-beta"),
              "extended-cache-ttl-2025-04-11,files-api-2025-04-14,mine");

    const auto plain = make_anthropic({.name = "c", .kind = "anthropic", .base_url = ""});
    EXPECT_EQ(header(*plain->write_request(hello(), sonnet), "anthropic-beta"), "");
    EXPECT_EQ(header(*plain->write_request(hello(), sonnet), "accept"), "application/json");
}

TEST(AnthropicProvider, KeepsThinkingOnlyForAnswersThatMayCallATool) {
    const auto provider = make_anthropic({.name = "c", .kind = "anthropic", .base_url = ""});
    Request request = hello();
    EXPECT_EQ(provider->write_request(request, sonnet)->turn.state, TurnOptions::State::drop);
    request.tools = {tool("a")};
    const TurnOptions turn = provider->write_request(request, sonnet)->turn;
    EXPECT_EQ(turn.state, TurnOptions::State::keep);
    EXPECT_EQ(turn.tool_id_prefix, "call_");
    EXPECT_EQ(turn.model, sonnet);
}

TEST(AnthropicProvider, ReadsErrorsWithTheirStatus) {
    const auto provider = make_anthropic({.name = "c", .kind = "anthropic", .base_url = ""});
    const Error error = provider->read_error(
        {.status = 529,
         .body = R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"});
    EXPECT_EQ(error.kind, ErrorKind::upstream_overloaded);
    EXPECT_EQ(error.message, "Anthropic returned 529 overloaded");
}

}  // namespace
}  // namespace runnel::provider::anthropic
