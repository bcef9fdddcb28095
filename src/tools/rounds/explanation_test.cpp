#include "tools/rounds/explanation.hpp"

#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

const std::string reason_and_goal =
    R"("_tool_reason":{"type":"string","description":"why you call this tool, in one short )"
    R"(sentence for the user"},"_tool_goal":{"type":"string","description":"what you want to )"
    R"(reach with it, in one short sentence for the user"})";

TEST(Explanation, IsAskedForFirst) {
    EXPECT_EQ(with_explanation(R"({"type":"object","properties":{"a":{"type":"string"}},)"
                               R"("required":["a"],"additionalProperties":false})"),
              R"({"type":"object","additionalProperties":false,"properties":{)" + reason_and_goal +
                  R"(,"a":{"type":"string"}},"required":["_tool_reason","_tool_goal","a"]})");
}

TEST(Explanation, IsAskedForAlsoWhereAToolTakesNothing) {
    const std::string expected = R"({"type":"object","properties":{)" + reason_and_goal +
                                 R"(},"required":["_tool_reason","_tool_goal"]})";
    EXPECT_EQ(with_explanation(R"({"type":"object"})"), expected);
    EXPECT_EQ(with_explanation(R"({"type":"object","properties":{ },"required":[ ]})"), expected);
}

TEST(Explanation, IsTakenOutOfTheArguments) {
    const Explained taken = take_explanation(
        R"({"_tool_reason":"say \"when\"","a":{"_tool_goal":1},"_tool_goal":"know","b":[1, 2]})");
    EXPECT_EQ(taken.arguments_json, R"({"a":{"_tool_goal":1},"b":[1,2]})");
    EXPECT_EQ(taken.explanation_json, R"({"reason":"say \"when\"","goal":"know"})");
}

TEST(Explanation, MayBeLeftOut) {
    const std::string arguments = R"({ "a" : 1 })";
    EXPECT_EQ(take_explanation(arguments).arguments_json, arguments);
    EXPECT_EQ(take_explanation(arguments).explanation_json, "");
    EXPECT_EQ(take_explanation(R"({"_tool_goal":"know"})").explanation_json,
              R"({"reason":"","goal":"know"})");
    EXPECT_EQ(take_explanation("no JSON").arguments_json, "no JSON");
}

}  // namespace
}  // namespace runnel::tools
