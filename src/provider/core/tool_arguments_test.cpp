#include "provider/core/tool_arguments.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

TEST(ToolArguments, AreAnObjectWhateverTheModelWrote) {
    struct Case {
        std::string_view escaped;
        std::string_view expected;
    };
    constexpr Case cases[] = {
        {"", "{}"},
        {R"( \n)", "{}"},
        {R"({\"b\": 1.0, \"a\": \"x\\ny\"})", R"({"b":1.0,"a":"x\ny"})"},
        {R"({} {})", R"({"rawInvalidInput":"{} {}"})"},
        {R"({\"a\":)", R"({"rawInvalidInput":"{\"a\":"})"},
        {R"({\"a\":tru})", R"({"rawInvalidInput":"{\"a\":tru}"})"},
        {"[1]", R"({"rawInvalidInput":"[1]"})"},
        {"null", "{}"},
        {R"(\n null )", "{}"},
        {"nul", R"({"rawInvalidInput":"nul"})"},
        {"plain words", R"({"rawInvalidInput":"plain words"})"},
    };
    for (const Case& c : cases) EXPECT_EQ(arguments_object(c.escaped), c.expected) << c.escaped;
}

TEST(ToolArguments, AreAnObjectInWhicheverFormTheyCame) {
    using chat::ToolCall;
    struct Case {
        ToolCall call;
        std::string_view expected;
    };
    const Case cases[] = {
        {{.arguments_escaped = R"({\"a\":1})"}, R"({"a":1})"},
        {{.arguments_raw = R"({ "a": 1 })"}, R"({"a":1})"},
        {{.arguments_raw = "null"}, "{}"},
        {{.arguments_raw = R"(["b"])"}, R"({"rawInvalidInput":"[\"b\"]"})"},
        {{}, "{}"},
        {{.kind = ToolCall::Kind::custom, .arguments_escaped = R"(SELECT \"a\")"},
         R"({"input":"SELECT \"a\""})"},
    };
    for (const Case& c : cases) EXPECT_EQ(arguments_object(c.call), c.expected);
}

}  // namespace
}  // namespace runnel::provider
