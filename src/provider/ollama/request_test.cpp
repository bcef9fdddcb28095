#include "provider/ollama/request.hpp"

#include "provider/registry.hpp"
#include "support/chat_requests.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::ollama {
namespace {

using namespace runnel::testing;
using chat::Effort;
using chat::ToolChoice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Request conversation(std::vector<Message> messages) {
    Request request = asking(std::move(messages));
    request.max_tokens.reset();
    return request;
}

Request greeting() { return conversation({said(Role::user, "Hi")}); }

std::string written(const Request& request, std::string_view model = "qwen3") {
    const auto body = write_body(request, model);
    return body ? body->text : "failed: " + body.error().message;
}

// What follows the greeting in the body.
std::string behind_greeting(const Request& request, std::string_view model = "qwen3") {
    constexpr std::string_view end = R"("stream":false)";
    const std::string body = written(request, model);
    const std::size_t at = body.find(end);
    return at == std::string::npos
               ? body
               : body.substr(at + end.size(), body.size() - at - end.size() - 1);
}

std::string messages_of(const Request& request) {
    const std::string body = written(request);
    const std::size_t from = body.find('[');
    const std::size_t to = body.find(R"(,"stream")");
    return to == std::string::npos ? body : body.substr(from, to - from);
}

chat::Number number(std::string_view raw) { return {raw, std::stod(std::string(raw))}; }

TEST(OllamaRequest, AsksInTheFewestWords) {
    EXPECT_EQ(written(greeting()),
              R"({"model":"qwen3","messages":[{"role":"user","content":"Hi"}],"stream":false})");
    Request request = greeting();
    request.streaming = chat::Streaming::yes;
    EXPECT_THAT(written(request), HasSubstr(R"("stream":true)"));
}

TEST(OllamaRequest, GoesToItsOwnApi) {
    struct Case {
        std::string_view base_url;
        std::string_view url;
    };
    constexpr Case cases[] = {
        {"", "http://127.0.0.1:11434/api/chat"},
        {"https://ollama.com", "https://ollama.com/api/chat"},
        {"http://127.0.0.1:1/api/", "http://127.0.0.1:1/api/chat"},
        {"http://127.0.0.1:1/v1", "http://127.0.0.1:1/api/chat"},
        {"http://127.0.0.1:1/proxy", "http://127.0.0.1:1/proxy/api/chat"},
    };
    for (const Case& c : cases) {
        const auto provider =
            make_ollama({.name = "local", .kind = "ollama", .base_url = std::string(c.base_url)});
        const auto out = provider->write_request(greeting(), "qwen3");
        ASSERT_TRUE(out.has_value());
        EXPECT_EQ(std::string(provider->origin()) + out->path, c.url);
    }
}

TEST(OllamaRequest, WritesEachMessageAsOneText) {
    const Message thought =
        said(Role::assistant, {{chat::Reasoning{.text_escaped = R"(hm\n)"}}, text("Hello")});
    EXPECT_EQ(
        messages_of(conversation({said(Role::developer, "Be brief."),
                                  said(Role::user, {text("a"), text(R"(\"b\")")}), thought,
                                  said(Role::user, "c")})),
        R"([{"role":"system","content":"Be brief."},{"role":"user","content":"a\"b\""},)"
        R"({"role":"assistant","content":"Hello","thinking":"hm\n"},{"role":"user","content":"c"}])");
}

TEST(OllamaRequest, SendsImagesAsBase64Alone) {
    EXPECT_EQ(messages_of(conversation(
                  {said(Role::user, {text("see"), image(R"(data:image\/png;base64,iV\/x)"),
                                     image("data:image/jpeg;base64,/9j/")})})),
              R"([{"role":"user","content":"see","images":["iV\/x","/9j/"]}])");
}

TEST(OllamaRequest, GivesCallsBackAsObjectsWithTheirResultsInOrder) {
    Message calls = called({{"call_1", R"({\"a\": 1})"}, {"call_2", ""}});
    calls.parts[1].as<chat::ToolCall>()->name = "now";
    EXPECT_EQ(
        messages_of(conversation({said(Role::user, "go"), calls, result("call_2", "two"),
                                  result("call_1", "one"), said(Role::user, "and?")})),
        R"([{"role":"user","content":"go"},)"
        R"({"role":"assistant","content":"","tool_calls":[{"function":{"name":"find","arguments":{"a":1}}},{"function":{"name":"now","arguments":{}}}]},)"
        R"({"role":"tool","tool_name":"find","content":"one"},{"role":"tool","tool_name":"now","content":"two"},{"role":"user","content":"and?"}])");
}

TEST(OllamaRequest, SendsToolsAsTheyAre) {
    Request request = greeting();
    request.tools = {
        tool(
            "find",
            R"({"type": "object", "properties": {"q": {"type": "string"}}, "additionalProperties": false})"),
        tool("now", "")};
    request.tools[0].description_escaped = "Finds";
    EXPECT_EQ(
        behind_greeting(request),
        R"(,"tools":[{"type":"function","function":{"name":"find","description":"Finds","parameters":{"type":"object","properties":{"q":{"type":"string"}},"additionalProperties":false}}},)"
        R"({"type":"function","function":{"name":"now","description":"","parameters":{"type":"object","properties":{}}}}])");
}

TEST(OllamaRequest, SaysInWordsThatAToolMustBeCalled) {
    struct Case {
        ToolChoice choice;
        std::string_view system;         // empty: no such message
        std::vector<std::string> tools;  // the names sent
    };
    using Kind = ToolChoice::Kind;
    const Case cases[] = {
        {{.kind = Kind::absent}, "", {"find", "now"}},
        {{.kind = Kind::automatic}, "", {"find", "now"}},
        {{.kind = Kind::none}, "", {}},
        {{.kind = Kind::required},
         "You must call one of your tools now. Do not answer in any other way.",
         {"find", "now"}},
        {{.kind = Kind::named, .name = "now"},
         "You must call the tool now now. Do not answer in any other way.",
         {"now"}},
        {{.kind = Kind::allowed, .allowed = {"find"}}, "", {"find"}},
        {{.kind = Kind::allowed, .allowed = {"find"}, .allowed_mode = ToolChoice::Mode::required},
         "You must call one of your tools now. Do not answer in any other way.",
         {"find"}},
    };
    for (const Case& c : cases) {
        Request request = greeting();
        request.tools = {tool("find"), tool("now")};
        request.tool_choice = c.choice;
        const std::string system =
            c.system.empty() ? "" : fmt::format(R"({{"role":"system","content":"{}"}},)", c.system);
        EXPECT_EQ(messages_of(request),
                  fmt::format(R"([{}{{"role":"user","content":"Hi"}}])", system));
        const std::string body = written(request);
        for (const std::string name : {"find", "now"})
            EXPECT_EQ(body.find(fmt::format(R"("name":"{}")", name)) != std::string::npos,
                      std::ranges::find(c.tools, name) != c.tools.end())
                << body;
        EXPECT_EQ(body.find("\"tools\"") != std::string::npos, !c.tools.empty());
    }
}

TEST(OllamaRequest, AddsToTheSystemTextThatIsThere) {
    Request request =
        conversation({said(Role::system, R"(Be \"brief\".)"), said(Role::user, "Hi")});
    request.tools = {tool("find")};
    request.tool_choice.kind = ToolChoice::Kind::required;
    EXPECT_THAT(
        messages_of(request),
        HasSubstr(
            R"([{"role":"system","content":"Be \"brief\".\n\nYou must call one of your tools now. Do not answer in any other way."},{"role":"user")"));
}

TEST(OllamaRequest, KeepsOneCallWhereParallelCallsAreOff) {
    const auto provider = make_ollama({.name = "local", .kind = "ollama", .base_url = ""});
    Request request = greeting();
    EXPECT_EQ(provider->write_request(request, "m")->turn.tool_calls_max, 0);
    request.parallel_tool_calls = false;
    EXPECT_EQ(provider->write_request(request, "m")->turn.tool_calls_max, 1);
}

TEST(OllamaRequest, PutsSamplingIntoOptions) {
    Request request = greeting();
    request.max_tokens = 50;
    request.sampling = {.temperature = number("0.70"),
                        .top_p = number("0.9"),
                        .top_k = number("40"),
                        .min_p = number("0.05"),
                        .presence_penalty = number("0.1"),
                        .frequency_penalty = number("0.2"),
                        .seed = number("9007199254740993"),
                        .stop = {"\n"}};
    EXPECT_EQ(
        behind_greeting(request),
        R"(,"options":{"num_predict":50,"temperature":0.70,"top_p":0.9,"top_k":40,"min_p":0.05,"seed":9007199254740993,"presence_penalty":0.1,"frequency_penalty":0.2,"stop":["\n"]})");
}

TEST(OllamaRequest, TakesOptionsThatOnlyItsOwnClientsKnow) {
    Request request = greeting();
    request.max_tokens = 5;
    request.extras = {{"options", R"({"num_ctx":4096,"mirostat":1})"}};
    EXPECT_EQ(behind_greeting(request), R"(,"options":{"num_predict":5})");
    request.api = chat::Api::ollama;
    EXPECT_EQ(behind_greeting(request),
              R"(,"options":{"num_predict":5,"num_ctx":4096,"mirostat":1})");
}

TEST(OllamaRequest, AsksForJson) {
    Request request = greeting();
    request.output.kind = chat::OutputFormat::Kind::json_object;
    EXPECT_EQ(behind_greeting(request), R"(,"format":"json")");
    request.output.kind = chat::OutputFormat::Kind::json_schema;
    request.output.schema_raw = R"({"type": "object"})";
    EXPECT_EQ(behind_greeting(request), R"(,"format":{"type":"object"})");
}

TEST(OllamaRequest, MapsReasoningEffort) {
    struct Case {
        std::string_view model;
        Effort effort;
        std::string_view expected;
    };
    constexpr Case cases[] = {
        {"qwen3", Effort::none, "false"},
        {"qwen3", Effort::low, "true"},
        {"qwen3", Effort::max, "true"},
        {"gpt-oss:20b", Effort::none, R"("low")"},
        {"gpt-oss:20b", Effort::low, R"("low")"},
        {"gpt-oss:20b", Effort::medium, R"("medium")"},
        {"gpt-oss:20b", Effort::xhigh, R"("high")"},
    };
    for (const Case& c : cases) {
        Request request = greeting();
        request.reasoning.effort = c.effort;
        EXPECT_EQ(behind_greeting(request, c.model), fmt::format(R"(,"think":{})", c.expected))
            << c.model;
    }
    Request request = greeting();
    request.reasoning.budget_tokens = 0;
    EXPECT_EQ(behind_greeting(request), R"(,"think":false)");
}

TEST(OllamaRequest, PassesNoUnknownFieldsOn) {
    Request request = greeting();
    request.extras = {{"frobnicate", "1"}, {"prediction", "{}"}};
    request.sampling.logit_bias_raw = R"({"1":2})";
    request.session = "s";
    const auto body = write_body(request, "qwen3");
    ASSERT_TRUE(body.has_value());
    EXPECT_EQ(body->text, written(greeting()));
    EXPECT_THAT(body->warnings, ElementsAre("dropped_logit_bias", "dropped_prediction",
                                            "dropped_prompt_cache_key"));
}

TEST(OllamaRequest, TakesWhatOtherApisSay) {
    Message failed = result("call_1", "no such file");
    failed.failed = chat::Wish::yes;
    failed.number = 3;
    Message calls = called({{"call_1", ""}});
    calls.parts[0].as<chat::ToolCall>()->arguments_raw = R"({ "a": 1 })";
    calls.parts.insert(calls.parts.begin(), {chat::Other{"server_tool_use", "{}"}});
    Request request = conversation(
        {said(Role::user, {{chat::File{.text_escaped = "words", .filename_escaped = "a.txt"}}}),
         calls, failed});
    request.api = chat::Api::messages;
    request.tools = {{.kind = chat::Tool::Kind::provider, .type = "web_search"}};
    EXPECT_EQ(
        messages_of(request),
        R"([{"role":"user","content":"a.txt\n\nwords"},)"
        R"({"role":"assistant","content":"","tool_calls":[{"function":{"name":"find","arguments":{"a":1}}}]},)"
        R"({"role":"tool","tool_name":"find","content":"Error: no such file"}])");
    EXPECT_THAT(write_body(request, "qwen3")->warnings,
                ElementsAre("dropped_content_part", "dropped_tool_web_search"));
}

TEST(OllamaRequest, RefusesWhatWouldChangeTheAnswer) {
    struct Case {
        Request request;
        std::string_view param;
    };
    std::vector<Case> cases;
    const auto refuses = [&](std::string_view param) -> Request& {
        return cases.emplace_back(Case{greeting(), param}).request;
    };
    refuses("n").n = 2;
    refuses("logprobs").sampling.logprobs = chat::Wish::yes;
    refuses("tools[0]").tools = {{.kind = chat::Tool::Kind::custom, .name = "x"}};
    refuses("messages[0].content[1]").messages = {
        said(Role::user, {text("see"), image("https://a.example/b.png")})};
    refuses("messages[0].content[0]").messages = {said(Role::user, {{chat::Audio{}}})};
    for (const Case& c : cases) {
        const auto body = write_body(c.request, "qwen3");
        ASSERT_FALSE(body.has_value()) << c.param;
        EXPECT_EQ(body.error().kind, ErrorKind::unsupported_parameter);
        EXPECT_EQ(body.error().param, c.param);
    }
}

}  // namespace
}  // namespace runnel::provider::ollama
