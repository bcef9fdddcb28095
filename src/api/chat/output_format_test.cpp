#include "api/chat/request.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::api {
namespace {

Result<chat::Request> read(std::string_view fields) {
    json::Parser parser;
    auto request = read_chat_request(
        fmt::format(R"({{"model":"m","messages":[{{"role":"user","content":"Hi"}}],{}}})", fields),
        &parser);
    if (!request) return request;
    if (auto checked = check_chat_request(*request); !checked) return propagate(checked);
    return request;
}

TEST(OpenAiFormat, ReadsWhatTheGatewayIsToSeeTo) {
    const auto plain = read(R"("temperature":1)");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->gateway.json_only, chat::Wish::unsaid);
    EXPECT_EQ(plain->gateway.response_schema_raw, "");
    EXPECT_FALSE(plain->gateway.heal_attempts);
    const auto wishes = read(R"("json_only":true,"response_schema":{"type":"array"})");
    ASSERT_TRUE(wishes);
    EXPECT_EQ(wishes->gateway.json_only, chat::Wish::yes);
    EXPECT_EQ(wishes->gateway.response_schema_raw, R"({"type":"array"})");
    EXPECT_TRUE(wishes->extras.empty());
}

TEST(OpenAiFormat, KeepsHealingOptionsToItself) {
    const auto request = read(
        R"("response_format":{"type":"json_schema", "json_schema":{"name":"n","healing_options":{"max_attempts":5},"strict":true,"schema":{"b":1, "a":2}}})");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->gateway.heal_attempts, 5);
    EXPECT_EQ(request->output.name, "n");
    EXPECT_EQ(request->output.schema_raw, R"({"b":1, "a":2})");
    const auto usual = read(
        R"("response_format":{"type":"json_schema","json_schema":{"name":"n","healing_options":{},"schema":{}}})");
    ASSERT_TRUE(usual);
    EXPECT_EQ(usual->gateway.heal_attempts, 3);
}

struct Refusal {
    std::string_view fields;
    std::string_view param;
    std::string_view words;
};

TEST(OpenAiFormat, RefusesWhatCanNotBe) {
    constexpr std::string_view tools = R"("tools":[{"type":"function","function":{"name":"f"}}])";
    const std::string json_with_tools = fmt::format(R"("json_only":true,{})", tools);
    const auto healing = [](std::string_view options) {
        return fmt::format(
            R"("response_format":{{"type":"json_schema","json_schema":{{"name":"n","schema":{{}},"healing_options":{}}}}})",
            options);
    };
    const std::string none = healing(R"({"max_attempts":0})");
    const std::string eleven = healing(R"({"max_attempts":11})");
    const std::string word = healing(R"("often")");
    constexpr std::string_view attempts =
        "response_format.json_schema.healing_options.max_attempts";
    const Refusal refusals[] = {
        {R"("json_only":"yes")", "json_only", "true or false"},
        {R"("response_schema":"string")", "response_schema", "must be a JSON Schema object"},
        {R"("response_schema":[])", "response_schema", "not an array"},
        {R"("response_schema":true)", "response_schema", "not true"},
        {json_with_tools, "json_only", "tools"},
        {none, attempts, "from 1 to 10, not 0"},
        {eleven, attempts, "from 1 to 10, not 11"},
        {word, "response_format.json_schema.healing_options", "an object"},
        {R"("json_only":true,"n":2)", "n", "must be 1"},
        {R"("response_schema":{},"n":2)", "n", "must be 1"},
        {R"("response_schema":{"properties":{"a":{"type":"objct"}}})",
         "response_schema.properties.a.type", "must be one of string, number"},
        {R"("json_only":true,"response_format":{"type":"json_schema","json_schema":{"name":"x",)"
         R"("schema":{"required":"a"}}})",
         "response_format.json_schema.schema.required",
         "response_format.json_schema.schema.required must be an array of names, not \"a\""},
    };
    for (const Refusal& refusal : refusals) {
        const auto request = read(refusal.fields);
        ASSERT_FALSE(request) << refusal.fields;
        EXPECT_EQ(request.error().kind, ErrorKind::invalid_value) << refusal.fields;
        EXPECT_EQ(request.error().param, refusal.param) << refusal.fields;
        EXPECT_NE(request.error().message.find(refusal.words), std::string::npos)
            << request.error().message;
    }
    EXPECT_TRUE(read(fmt::format(R"("json_only":false,{})", tools)));
    EXPECT_TRUE(read(R"("response_format":{"type":"json_object"},"n":2)"));
    EXPECT_TRUE(read(R"("response_format":{"type":"json_schema","json_schema":{"name":"x",)"
                     R"("schema":{"required":"a"}}})"))
        << "the provider may know better";
}

}  // namespace
}  // namespace runnel::api
