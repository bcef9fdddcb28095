#include "api/ollama/request.hpp"

#include "api/registry.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::api::ollama {
namespace {

using chat::Message;
using chat::Part;
using chat::Request;
using Lines = std::vector<std::string>;

Result<Request> read(std::string body, Form form = Form::chat) {
    json::Parser parser;
    return read_request({.body = std::move(body)}, form, &parser);
}

Request accepted(std::string body, Form form = Form::chat) {
    auto request = read(std::move(body), form);
    EXPECT_TRUE(request) << request.error().message;
    return request ? std::move(*request) : Request();
}

std::string refusal_of(std::string body, Form form = Form::chat) {
    const auto request = read(std::move(body), form);
    return request ? "accepted" : request.error().param + ": " + request.error().message;
}

std::string with(std::string_view fields) {
    return fmt::format(R"({{"model":"m","messages":[{{"role":"user","content":"Hi"}}],{}}})",
                       fields);
}

std::string with_messages(std::string_view messages) {
    return fmt::format(R"({{"model":"m","messages":[{}]}})", messages);
}

std::string outline(const Part& part) {
    return std::visit(
        []<class T>(const T& it) -> std::string {
            if constexpr (std::is_same_v<T, chat::Text>) return std::string(it.text_escaped);
            if constexpr (std::is_same_v<T, chat::ToolCall>)
                return fmt::format("{}:{}={}{}", it.id, it.name, it.arguments_raw,
                                   it.arguments_escaped);
            if constexpr (std::is_same_v<T, chat::Reasoning>)
                return fmt::format("({})", it.text_escaped);
            if constexpr (std::is_same_v<T, chat::Image>)
                return fmt::format("{} {}", it.source.media_type_escaped, it.source.data_escaped);
            return "?";
        },
        part.content);
}

// Each message in a line: its role and what its parts are.
Lines outlines(const Request& request) {
    Lines lines;
    for (const Message& message : request.messages) {
        std::string line(chat::name_of(message.role));
        if (!message.tool_call_id.empty()) line += " " + message.tool_call_id;
        for (const Part& part : message.parts) line += " [" + outline(part) + "]";
        lines.push_back(std::move(line));
    }
    return lines;
}

TEST(OllamaApiRequest, StreamsUnlessToldNotTo) {
    EXPECT_TRUE(accepted(with(R"("keep_alive":"5m")")).streams());
    EXPECT_FALSE(accepted(with(R"("stream":false)")).streams());
    const Request request = accepted(with(R"("keep_alive":0)"));
    EXPECT_EQ(request.api, chat::Api::ollama);
    EXPECT_EQ(request.model, "m");
    EXPECT_TRUE(request.extras.empty());
    EXPECT_TRUE(asks_for_words(request));
}

TEST(OllamaApiRequest, ReadsMessages) {
    EXPECT_EQ(
        outlines(accepted(with_messages(
            R"({"role":"system","content":"s"},)"
            R"({"role":"user","content":"see","images":["iVBORw0KGgoA","\/9j\/AA","data:image/bmp;base64,Qk0="]},)"
            R"({"role":"assistant","content":"a","thinking":"hm","x":1},)"
            R"({"role":"user","content":""})"))),
        (Lines{"system [s]",
               R"(user [see] [image/png iVBORw0KGgoA] [image/jpeg \/9j\/AA] [image/bmp Qk0=])",
               "assistant [(hm)] [a]", "user []"}));
}

TEST(OllamaApiRequest, GivesResultsToTheirCalls) {
    // By id, by the tool's name, and in order.
    EXPECT_EQ(
        outlines(accepted(with_messages(
            R"({"role":"assistant","content":"","tool_calls":[)"
            R"({"id":"c1","function":{"name":"f","arguments":{"x": 1}}},)"
            R"({"function":{"name":"g","arguments":{}}},{"function":{"name":"f","arguments":"{}"}},)"
            R"({"function":{"name":"h"}}]},)"
            R"({"role":"tool","tool_name":"f","content":"3"},)"
            R"({"role":"tool","content":"1","tool_call_id":"c1"},)"
            R"({"role":"tool","content":"4","tool_name":"h"},{"role":"tool","content":"2"})"))),
        (Lines{R"(assistant [c1:f={"x": 1}] [call_000000000000000000000001:g={}])"
               R"( [call_000000000000000000000002:f={}] [call_000000000000000000000003:h=])",
               "tool c1 [3]", "tool c1 [1]", "tool call_000000000000000000000003 [4]",
               "tool call_000000000000000000000001 [2]"}));
}

TEST(OllamaApiRequest, MakesAConversationOfOnePrompt) {
    EXPECT_EQ(
        outlines(accepted(R"({"model":"m","images":["iVBORw0KGgo="],"prompt":"Hi","system":"s"})",
                          Form::generate)),
        (Lines{"system [s]", "user [Hi] [image/png iVBORw0KGgo=]"}));
    for (const std::string_view body :
         {R"({"model":"m"})", R"({"model":"m","prompt":"","system":"s","keep_alive":0})"}) {
        const Request request = accepted(std::string(body), Form::generate);
        EXPECT_TRUE(request.messages.empty());
        EXPECT_FALSE(ollama_api().asks_a_model(request));
    }
    EXPECT_FALSE(ollama_api().asks_a_model(accepted(R"({"model":"m","messages":[]})")));
}

TEST(OllamaApiRequest, ReadsOptions) {
    const Request request = accepted(with(
        R"("options":{"num_predict":7,"temperature":0.5,"top_p":0.9,"top_k":3,"min_p":0.1,"seed":4,)"
        R"("stop":["a","b"],"presence_penalty":1,"frequency_penalty":-1,"num_ctx":4096,"mirostat":null,)"
        R"("repeat_penalty":1.1},"logprobs":true,"top_logprobs":2)"));
    EXPECT_EQ(request.max_tokens, 7);
    EXPECT_EQ(request.sampling.temperature->raw, "0.5");
    EXPECT_EQ(request.sampling.top_p->raw, "0.9");
    EXPECT_EQ(request.sampling.top_k->raw, "3");
    EXPECT_EQ(request.sampling.min_p->raw, "0.1");
    EXPECT_EQ(request.sampling.seed->raw, "4");
    EXPECT_EQ(request.sampling.presence_penalty->raw, "1");
    EXPECT_EQ(request.sampling.frequency_penalty->raw, "-1");
    EXPECT_EQ(request.sampling.stop, (Lines{"a", "b"}));
    EXPECT_EQ(request.sampling.logprobs, chat::Wish::yes);
    EXPECT_EQ(request.sampling.top_logprobs, 2);
    EXPECT_EQ(chat::find(request.extras, "options"), R"({"num_ctx":4096,"repeat_penalty":1.1})");
    EXPECT_FALSE(accepted(with(R"("options":{"num_predict":-1})")).max_tokens);
}

TEST(OllamaApiRequest, ReadsTheFormOfTheAnswerAndHowMuchToThink) {
    using Kind = chat::OutputFormat::Kind;
    EXPECT_EQ(accepted(with(R"("format":"json")")).output.kind, Kind::json_object);
    EXPECT_EQ(accepted(with(R"("format":"")")).output.kind, Kind::unsaid);
    const Request schema = accepted(with(R"("format":{"type":"object"})"));
    EXPECT_EQ(schema.output.kind, Kind::json_schema);
    EXPECT_EQ(schema.output.schema_raw, R"({"type":"object"})");

    EXPECT_FALSE(accepted(with(R"("x":1)")).reasoning.effort);
    EXPECT_EQ(accepted(with(R"("think":true)")).reasoning.effort, chat::Effort::medium);
    EXPECT_EQ(accepted(with(R"("think":"high")")).reasoning.effort, chat::Effort::high);
    const Request off = accepted(with(R"("think":false)"));
    EXPECT_EQ(off.reasoning.effort, chat::Effort::none);
    EXPECT_EQ(off.reasoning.show, chat::ReasoningWish::Show::no);
}

TEST(OllamaApiRequest, ReadsTools) {
    const Request request = accepted(with(
        R"("tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}])"));
    ASSERT_EQ(request.tools.size(), 1U);
    EXPECT_EQ(request.tools[0].name, "f");
    EXPECT_EQ(request.tools[0].parameters_raw, R"({"type":"object"})");
}

TEST(OllamaApiRequest, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(refusal_of(with_messages(R"({"content":"x"})")),
              "messages[0].role: messages[0] needs a field role");
    EXPECT_TRUE(refusal_of(with_messages(R"({"role":"bot"})")).contains("the role \"bot\""));
    EXPECT_TRUE(
        refusal_of(with_messages(R"({"role":"tool","content":"x"})")).contains("answers no tool"));
    EXPECT_TRUE(refusal_of(with_messages(R"({"role":"user","images":["Qk0="]})"))
                    .starts_with("messages[0].images[0]: messages[0].images[0] is no PNG"));
    EXPECT_TRUE(refusal_of(with(R"("think":"a lot")")).contains("\"a lot\""));
    EXPECT_TRUE(refusal_of(with(R"("format":"yaml")")).contains("a JSON Schema"));
    EXPECT_TRUE(refusal_of(with(R"("options":{"temperature":3})")).contains("from 0 to 2"));
    EXPECT_TRUE(refusal_of(R"({"prompt":"x","context":[1]})", Form::generate)
                    .contains("send the whole conversation to /api/chat"));
    EXPECT_EQ(refusal_of(R"({"prompt":"x","context":[]})", Form::generate), "accepted");
}

TEST(OllamaApiRequest, BoundsWhatAClientCanSend) {
    std::string many = R"({"role":"user"})";
    for (int i = 0; i < 40'000; ++i) many += R"(,{"role":"user"})";
    EXPECT_TRUE(refusal_of(with_messages(many)).contains("one part too many"));
}

}  // namespace
}  // namespace runnel::api::ollama
