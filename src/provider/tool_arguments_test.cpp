#include "provider/tool_arguments.hpp"

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
        {"null", R"({"rawInvalidInput":"null"})"},
        {"plain words", R"({"rawInvalidInput":"plain words"})"},
    };
    for (const Case& c : cases) EXPECT_EQ(arguments_object(c.escaped), c.expected) << c.escaped;
}

}  // namespace
}  // namespace runnel::provider
