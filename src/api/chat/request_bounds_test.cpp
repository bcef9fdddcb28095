#include "api/chat/request.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace runnel::api {
namespace {

// What every element takes memory for has a number beyond which nothing is read.

std::string with(std::string_view fields) {
    return fmt::format(R"({{"model":"m","messages":[{{"role":"user","content":"Hi"}}],{}}})",
                       fields);
}

std::string with_message(std::string_view fields) {
    return fmt::format(R"({{"model":"m","messages":[{{{}}}]}})", fields);
}

// The same so many times, with commas between.
std::string times(std::size_t count, std::string_view text) {
    std::string all(text);
    for (std::size_t i = 1; i < count; ++i) all.append(",").append(text);
    return all;
}

std::string refusal_of(std::string body) {
    json::Parser parser;
    const auto read = read_chat_request(std::move(body), &parser);
    if (read) return "accepted";
    return fmt::format("{}: {}", name_of(read.error().kind), read.error().message);
}

TEST(OpenAiRequestBounds, CountsFields) {
    EXPECT_EQ(refusal_of(with(times(limits::request_fields - 2, R"("x":1)"))), "accepted");
    EXPECT_EQ(refusal_of(with(times(limits::request_fields - 1, R"("x":1)"))),
              "invalid_value: the request has 257 fields; it may have 256, so send values that "
              "belong together as one");
}

TEST(OpenAiRequestBounds, CountsContentParts) {
    const std::string_view part = R"({"type":"text","text":""})";
    EXPECT_EQ(refusal_of(with_message(R"("role":"user","content":[)" + times(20'000, part) + "]")),
              "accepted");
    EXPECT_EQ(refusal_of(with_message(R"("role":"user","content":[)" + times(20'001, part) + "]")),
              "invalid_value: messages[0].content[20000] is one content part too many: all "
              "messages together may have 20000");
    EXPECT_TRUE(refusal_of(with_message(times(20'001, R"("content":"")")))
                    .starts_with("invalid_value: messages[0].content is one content part"));
}

TEST(OpenAiRequestBounds, CountsToolCalls) {
    const std::string calls = times(20'001, R"({"id":"c","function":{"name":"f"}})");
    EXPECT_EQ(refusal_of(with_message(R"("role":"assistant","tool_calls":[)" + calls + "]")),
              "invalid_value: messages[0].tool_calls[20000] is one tool call too many: all "
              "messages together may have 20000");
}

TEST(OpenAiRequestBounds, CountsLists) {
    const std::string words = "[" + times(257, R"("a")") + "]";
    EXPECT_EQ(refusal_of(with(R"("stop":)" + words)),
              "invalid_value: stop has more than 256 sequences");
    EXPECT_EQ(refusal_of(with(R"("guardrails":)" + words)),
              "invalid_value: guardrails has more than 256 names");
    const std::string tools = times(1025, R"({"type":"function","function":{"name":"f"}})");
    EXPECT_EQ(
        refusal_of(with(R"("tool_choice":{"type":"allowed_tools","allowed_tools":{"tools":[)" +
                        tools + "]}}")),
        "tool_choice_invalid: tool_choice.allowed_tools.tools has more than 1024 tools");
}

TEST(OpenAiRequestBounds, CountsValues) {
    EXPECT_EQ(refusal_of(with(R"("x":[)" + times(limits::request_values - 8, "0") + "]")),
              "accepted");
    EXPECT_EQ(refusal_of(with(R"("x":[)" + times(limits::request_values, "0") + "]")),
              "invalid_value: the request body has more than 500000 values in its JSON; send "
              "fewer");
}

TEST(OpenAiRequestBounds, CountsTheValuesOfSchemas) {
    const std::string schema =
        R"({"type":"object","enum":[)" + times(limits::schema_values, "0") + "]}";
    const std::string_view too_many = "has more than 20000 values, which no schema may";
    const std::string tool = R"({"type":"function","function":{"name":"f","parameters":)";
    EXPECT_EQ(refusal_of(with(R"("tools":[)" + tool + schema + "}}]")),
              fmt::format("tool_schema_invalid: tools[0].function.parameters {}", too_many));
    EXPECT_EQ(refusal_of(with(R"("response_schema":)" + schema)),
              fmt::format("invalid_value: response_schema {}", too_many));
    const std::string format = R"({"type":"json_schema","json_schema":{"name":"n","schema":)";
    EXPECT_EQ(refusal_of(with(R"("response_format":)" + format + schema + "}}")),
              fmt::format("invalid_value: response_format.json_schema.schema {}", too_many));
}

TEST(OpenAiRequestBounds, CountsTheValuesOfArguments) {
    const std::string call = fmt::format(
        R"({{"id":"c","function":{{"name":"f","arguments":"[{}]"}}}})", times(300'000, "0"));
    const auto asked = [&](std::size_t calls) {
        return refusal_of(
            with_message(R"("role":"assistant","tool_calls":[)" + times(calls, call) + "]"));
    };
    EXPECT_EQ(asked(1), "accepted");
    EXPECT_EQ(asked(2), "invalid_value: messages[0].tool_calls[1] is too much: the arguments of "
                        "all calls may have 500000 values");
}

TEST(OpenAiRequestBounds, CountsTokens) {
    EXPECT_EQ(refusal_of(with(R"("max_tokens":1000000000)")), "accepted");
    for (const std::string_view field :
         {R"("max_tokens":9223372036854775807)", R"("max_completion_tokens":1000000001)",
          R"("thinking":{"type":"enabled","budget_tokens":9223372036854775807})"})
        EXPECT_TRUE(refusal_of(with(field)).starts_with("invalid_value")) << field;
}

}  // namespace
}  // namespace runnel::api
