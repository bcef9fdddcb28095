#include "json/schema.hpp"
#include "json/text.hpp"
#include "provider/core/answer_reader.hpp"
#include "provider/demo/arguments.hpp"
#include "provider/demo/models.hpp"
#include "provider/registry.hpp"
#include "support/chat_requests.hpp"
#include "timeline/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using chat::Request;
using chat::Role;
using testing::result;
using testing::said;
using timeline::Answer;
using timeline::Finish;

Request asking(std::string_view escaped, chat::Streaming streaming = chat::Streaming::yes) {
    Request request;
    request.streaming = streaming;
    request.messages = {said(Role::user, escaped)};
    return request;
}

chat::Tool tool(std::string name, std::string_view parameters = "") {
    return testing::tool(std::move(name), parameters);
}

chat::Message call_of(std::string id, std::string name) {
    return said(Role::assistant, {{chat::ToolCall{.id = std::move(id), .name = std::move(name)}}});
}

// The answer of demo/<model>, read from its script as from a network.
Answer answer_of(std::string_view model, const Request& request) {
    const auto demo = make_demo({});
    const auto outgoing = demo->write_request(request, model);
    if (!outgoing) {
        ADD_FAILURE() << outgoing.error().message;
        return {};
    }
    Answer answer;
    if (outgoing->script->status != 200) {
        answer.error = demo->read_error({.status = outgoing->script->status,
                                         .headers = {},
                                         .body = outgoing->script->pieces[0].bytes});
        return answer;
    }
    timeline::Fold fold;
    json::Parser parser;
    IdSource ids(1);
    AnswerReader reader(demo->make_wire(&parser), outgoing->turn, &fold, &ids);
    for (const Script::Piece& piece : outgoing->script->pieces) {
        std::string bytes = piece.bytes;
        reader.feed(Padded::of(bytes));
    }
    reader.finish();
    return fold.answer();
}

TEST(Demo, EchoesTheLastUserMessageWordByWord) {
    Request request = asking("first");
    request.messages.push_back(said(Role::assistant, "no"));
    request.messages.push_back(said(Role::user, R"(One \"two\"  three)"));
    const Answer answer = answer_of("echo", request);
    EXPECT_EQ(answer.choices.at(0).text_escaped(), R"(One \"two\"  three)");
    EXPECT_EQ(answer.choices.at(0).finish, Finish::stop);
    const auto outgoing = make_demo({})->write_request(request, "echo");
    std::string all;
    for (const Script::Piece& piece : outgoing->script->pieces) all += piece.bytes;
    EXPECT_NE(all.find(R"({"content":"One"})"), std::string::npos);
    EXPECT_NE(all.find(R"({"content":"  three"})"), std::string::npos);
}

TEST(Demo, SaysTheSameStreamedAndWhole) {
    for (const char* model :
         {"echo", "text", "reasoning", "tools", "parallel-tools", "length", "filter"}) {
        Request streamed = asking("One two");
        streamed.tools = {
            tool("find", R"({"type":"object","properties":{"q":{"type":"string"}}})")};
        Request whole = asking("One two", chat::Streaming::no);
        whole.tools = streamed.tools;
        const Answer first = answer_of(model, streamed);
        const Answer second = answer_of(model, whole);
        EXPECT_EQ(first.choices.at(0).text_escaped(), second.choices.at(0).text_escaped()) << model;
        EXPECT_EQ(first.choices.at(0).reasoning_escaped(), second.choices.at(0).reasoning_escaped())
            << model;
        EXPECT_EQ(first.choices.at(0).tool_calls().size(), second.choices.at(0).tool_calls().size())
            << model;
        EXPECT_EQ(first.choices.at(0).finish, second.choices.at(0).finish) << model;
        ASSERT_TRUE(first.usage && second.usage) << model;
        EXPECT_EQ(*first.usage, *second.usage) << model;
        EXPECT_GT(first.usage->output, 0) << model;
        EXPECT_GT(first.usage->input(), 0) << model;
    }
}

TEST(Demo, ThinksBeforeItSpeaksUnlessToldNotTo) {
    Request request = asking("Hi");
    const Answer answer = answer_of("reasoning", request);
    EXPECT_FALSE(answer.choices.at(0).reasoning_escaped().empty());
    EXPECT_FALSE(answer.choices.at(0).text_escaped().empty());
    EXPECT_GT(answer.usage->reasoning.value_or(0), 0);
    request.reasoning.effort = chat::Effort::none;
    EXPECT_TRUE(answer_of("reasoning", request).choices.at(0).reasoning_escaped().empty());
}

TEST(Demo, CallsAToolAndAnswersFromItsResult) {
    Request request = asking("The weather?");
    request.tools = {
        tool("get_weather", R"({"type":"object","properties":{"city":{"type":"string"}}})"),
        tool("get_time")};
    const Answer called = answer_of("tools", request);
    const auto& calls = called.choices.at(0).tool_calls();
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].name, "get_weather");
    EXPECT_EQ(calls[0].arguments_escaped, R"({\"city\":\"Oslo\"})");
    EXPECT_EQ(called.choices[0].finish, Finish::tool_calls);

    request.messages.push_back(call_of(calls[0].id, calls[0].name));
    request.messages.push_back(result(calls[0].id, "seven degrees"));
    const Answer answer = answer_of("tools", request);
    EXPECT_EQ(answer.choices.at(0).text_escaped(), "get_weather says: seven degrees");
    EXPECT_EQ(answer.choices[0].finish, Finish::stop);

    request.messages.push_back(said(Role::user, "And now?"));
    const Answer again = answer_of("tools", request);
    EXPECT_NE(again.choices.at(0).tool_calls().at(0).id, calls[0].id);
}

TEST(Demo, CallsAllToolsAtOnceUnlessParallelCallsAreOff) {
    Request request = asking("Hi");
    request.tools = {tool("a"), tool("b")};
    const auto calls = answer_of("parallel-tools", request).choices.at(0).tool_calls();
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].name, "a");
    EXPECT_EQ(calls[1].name, "b");
    EXPECT_NE(calls[0].id, calls[1].id);
    EXPECT_EQ(calls[1].arguments_escaped, "{}");
    request.tools.pop_back();
    EXPECT_EQ(answer_of("parallel-tools", request).choices.at(0).tool_calls().size(), 2U);
    request.parallel_tool_calls = false;
    EXPECT_EQ(answer_of("parallel-tools", request).choices.at(0).tool_calls().size(), 1U);
}

TEST(Demo, CallsOnlyWhatTheChoiceAllows) {
    Request request = asking("Hi");
    request.tools = {tool("a"), tool("b")};
    request.tool_choice = {.kind = chat::ToolChoice::Kind::named, .name = "b"};
    EXPECT_EQ(answer_of("tools", request).choices.at(0).tool_calls().at(0).name, "b");
    request.tool_choice = {.kind = chat::ToolChoice::Kind::allowed, .allowed = {"b"}};
    EXPECT_EQ(answer_of("tools", request).choices.at(0).tool_calls().at(0).name, "b");
    request.tool_choice = {.kind = chat::ToolChoice::Kind::none};
    EXPECT_TRUE(answer_of("tools", request).choices.at(0).tool_calls().empty());
    EXPECT_FALSE(answer_of("tools", asking("Hi")).choices.at(0).text_escaped().empty());
}

// Plays the tool loop that a gateway or an SDK would, with a result per call.
std::vector<std::string> rounds_of(std::string_view question, std::vector<chat::Tool> tools) {
    Request request = asking(question);
    request.tools = std::move(tools);
    std::vector<std::string> calls;
    for (;;) {
        const Answer answer = answer_of("agent", request);
        const auto& choice = answer.choices.at(0);
        EXPECT_FALSE(choice.reasoning_escaped().empty());
        EXPECT_FALSE(choice.text_escaped().empty());
        if (choice.tool_calls().empty() || calls.size() > 9) {
            calls.push_back(choice.text_escaped());
            return calls;
        }
        EXPECT_EQ(choice.tool_calls().size(), 1U);
        const auto call = choice.tool_calls()[0];
        calls.push_back(call.name + json::unescaped(call.arguments_escaped));
        request.messages.push_back(call_of(call.id, call.name));
        request.messages.push_back(result(call.id, "fine"));
    }
}

TEST(Demo, WorksThroughTheToolsThatAQuestionIsAbout) {
    const std::vector<chat::Tool> tools{
        tool("get_eth_balance", R"({"properties":{"address":{"type":"string"},)"
                                R"("chain":{"enum":["ethereum","base"]}},"required":["address"]})"),
        tool("gas_price", R"({"properties":{"chain":{"enum":["ethereum","base"]}},"required":[]})"),
        tool("fetch_url", R"({"properties":{"url":{"type":"string"}}})"),
        tool("read_text_file", R"({"properties":{"path":{"type":"string"}}})"),
        tool("list_directory", R"({"properties":{"path":{"type":"string"}}})"),
        tool("calculator", R"({"properties":{"expression":{"type":"string"}}})"),
        tool("now")};
    using Calls = std::vector<std::string>;
    const auto calls = [&](std::string_view question) {
        Calls made = rounds_of(question, tools);
        made.pop_back();
        return made;
    };
    EXPECT_EQ(calls("what is gas on Base?"), Calls{R"(gas_price{"chain":"base"})"});
    EXPECT_EQ(calls("gas, and what 0xAb has"),
              (Calls{"gas_price{}", R"(get_eth_balance{"address":"0xAb"})"}));
    EXPECT_EQ(
        calls("compare http://h/a.txt with my notes.txt."),
        (Calls{R"(fetch_url{"url":"http://h/a.txt"})", R"(read_text_file{"path":"notes.txt"})"}));
    EXPECT_EQ(calls("list the directory a/b"), Calls{R"(list_directory{"path":"a/b"})"});
    EXPECT_EQ(calls("and that directory?"), Calls{R"(list_directory{"path":"."})"});
    EXPECT_EQ(calls("What is (2 + 3) * 4, and when is now?"),
              (Calls{R"(calculator{"expression":"(2 + 3) * 4"})", "now{}"}));
    EXPECT_EQ(calls("Hello there"), Calls{});
    EXPECT_EQ(rounds_of("what is gas on Base? What is 1+1?", tools).back(),
              R"(gas_price says: fine\ncalculator says: fine)");
}

TEST(Demo, AnAgentCallsWhenItMustAndNotWhenItMayNot) {
    Request request = asking("Hello");
    request.tools = {tool("a"), tool("b")};
    EXPECT_TRUE(answer_of("agent", request).choices.at(0).tool_calls().empty());
    request.tool_choice = {.kind = chat::ToolChoice::Kind::named, .name = "b"};
    EXPECT_EQ(answer_of("agent", request).choices.at(0).tool_calls().at(0).name, "b");
    request = asking("a and b");
    request.tools = {tool("a"), tool("b")};
    request.tool_choice = {.kind = chat::ToolChoice::Kind::none};
    EXPECT_TRUE(answer_of("agent", request).choices.at(0).tool_calls().empty());
}

TEST(Demo, AnAgentTellsTheBeginningOfALongResult) {
    Request request = asking("a");
    request.tools = {tool("a")};
    std::string long_text;
    while (long_text.size() < 3000) long_text += "\\u00e4";
    request.messages.push_back(call_of("c", "a"));
    request.messages.push_back(result("c", long_text));
    const std::string told = answer_of("agent", request).choices.at(0).text_escaped();
    EXPECT_TRUE(told.starts_with("a says: ää")) << told;
    EXPECT_TRUE(told.ends_with("ä …")) << told;
    EXPECT_LT(told.size(), 500U);
}

TEST(Demo, FailsWhereItsNameSaysSo) {
    const Answer before = answer_of("error-before", asking("Hi"));
    ASSERT_TRUE(before.error);
    EXPECT_TRUE(retryable(before.error->kind));
    const Answer midstream = answer_of("error-midstream", asking("Hi"));
    ASSERT_TRUE(midstream.error);
    EXPECT_FALSE(midstream.choices.at(0).text_escaped().empty());
    EXPECT_TRUE(answer_of("error-midstream", asking("Hi", chat::Streaming::no)).error);
}

TEST(Demo, EndsAsItsNameSays) {
    EXPECT_EQ(answer_of("length", asking("Hi")).choices.at(0).finish, Finish::length);
    EXPECT_EQ(answer_of("filter", asking("Hi")).choices.at(0).finish, Finish::content_filter);
}

TEST(Demo, StopsAtTheClientsLimit) {
    Request request = asking("one two three four");
    request.max_tokens = 2;
    const Answer answer = answer_of("echo", request);
    EXPECT_EQ(answer.choices.at(0).text_escaped(), "one two");
    EXPECT_EQ(answer.choices[0].finish, Finish::length);
}

TEST(Demo, TakesItsTimeWhereItIsSlow) {
    std::chrono::milliseconds total{};
    const auto outgoing = make_demo({})->write_request(asking("Hi"), "slow");
    for (const Script::Piece& piece : outgoing->script->pieces) total += piece.pause;
    EXPECT_GT(total, std::chrono::seconds(3));
}

TEST(Demo, StreamsALongTextInLargerPieces) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "word ";
    const auto outgoing = make_demo({})->write_request(asking(text), "echo");
    EXPECT_LT(outgoing->script->pieces.size(), 300U);
    EXPECT_EQ(answer_of("echo", asking(text)).choices.at(0).text_escaped(), text);
}

TEST(Demo, AnswersWithTheJsonThatIsWanted) {
    const auto said = [](std::string_view model, Request request) {
        return json::unescaped(answer_of(model, request).choices.at(0).text_escaped());
    };
    Request any = asking("Hi");
    any.gateway.json_only = chat::Wish::yes;
    EXPECT_TRUE(said("text", std::move(any)).starts_with(R"({"answer":"This answer comes)"));
    Request own = asking("Hi");
    own.gateway.response_schema_raw = R"({"type":"array","items":{"type":"string"},"minItems":2})";
    EXPECT_EQ(said("reasoning", std::move(own)), R"(["Hi","Hi"])");
    Request format = asking("Hi");
    format.output.kind = chat::OutputFormat::Kind::json_schema;
    format.output.schema_raw = R"({"properties":{"a":{"type":"integer"}}})";
    EXPECT_EQ(said("text", std::move(format)), R"({"a":1})");
    Request echo = asking("Hi");
    echo.output.kind = chat::OutputFormat::Kind::json_object;
    EXPECT_EQ(said("echo", std::move(echo)), "Hi");
}

TEST(Demo, NamesItsModelsWhenAskedForAnother) {
    const auto outgoing = make_demo({})->write_request(asking("Hi"), "ecko");
    ASSERT_FALSE(outgoing);
    EXPECT_EQ(outgoing.error().kind, ErrorKind::model_not_found);
    EXPECT_NE(outgoing.error().message.find("echo, text"), std::string::npos);
}

TEST(Demo, HasEveryModelOfItsList) {
    for (const DemoModel& model : demo_models)
        EXPECT_EQ(make_demo({})->write_request(asking("Hi"), model.name).has_value(),
                  model.name != "embedding")
            << model.name;
}

TEST(DemoArguments, FitTheSchema) {
    const auto made = [](std::string_view schema) {
        return demo::plausible_arguments(schema, demo::Question("a topic"));
    };
    EXPECT_EQ(made(""), "{}");
    EXPECT_EQ(made("[]"), "{}");
    EXPECT_EQ(made(R"({"type":"object"})"), "{}");
    EXPECT_EQ(
        made(
            R"({"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","minimum":5}}})"),
        R"({"q":"a topic","n":5})");
    EXPECT_EQ(
        made(R"({"type":"object","required":["b"],"properties":{"a":{},"b":{"enum":["x","y"]}}})"),
        R"({"b":"x"})");
    EXPECT_EQ(
        made(
            R"({"type":"object","properties":{"a":{"type":["null","boolean"]},"b":{"type":"number","maximum":0.5},)"
            R"("c":{"type":"array","items":{"type":"string","format":"date"}},"d":{"default":{"e": 1}}}})"),
        R"({"a":true,"b":0.5,"c":["2026-01-31"],"d":{"e":1}})");
    EXPECT_EQ(
        made(
            R"({"type":"object","properties":{"p":{"$ref":"#/$defs/P"},"q":{"anyOf":[{"type":"null"},{"const":3}]}},)"
            R"("$defs":{"P":{"type":"object","properties":{"x":{"type":"integer"}}}}})"),
        R"({"p":{"x":1},"q":3})");
}

TEST(DemoArguments, AreAnyValueThatFitsWhereNoObjectIsNeeded) {
    for (
        const std::string_view schema : {
            R"({"type":"string","minLength":12})",
            R"({"type":"string","maxLength":3})",
            R"({"type":"array","items":{"type":"integer","minimum":3},"minItems":3})",
            R"({"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}]})",
            R"({"type":"integer","exclusiveMinimum":4})",
            R"({"type":"null"})",
            R"({"enum":["x","y"]})",
            R"({"oneOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"number"}}}]})",
            R"({"$defs":{"city":{"type":"object","required":["name","population"],"properties":
                 {"name":{"type":"string"},"population":{"type":"integer","minimum":0}}}},
                 "type":"object","properties":{"capitals":{"type":"array","items":
                 {"$ref":"#/$defs/city"}}}})",
        }) {
        const auto value =
            json::read_tree(demo::plausible_value(schema, demo::Question("a tópic")));
        ASSERT_TRUE(value) << schema;
        EXPECT_THAT(json::schema_problems(*json::read_tree(schema), *value), ::testing::IsEmpty())
            << schema;
    }
}

TEST(DemoArguments, EndForSchemasThatReferToThemselves) {
    const std::string made = demo::plausible_arguments(
        R"({"type":"object","properties":{"next":{"$ref":"#"}}})", demo::Question(""));
    EXPECT_LT(made.size(), 200U);
}

}  // namespace
}  // namespace runnel::provider
