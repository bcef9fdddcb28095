#include "json/form.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::json {
namespace {

using ::testing::HasSubstr;

// What `read` makes of the value of {"a":{"b":…}}, or its refusal.
template <class Read>
std::string outcome(std::string_view value, Read read) {
    const auto form = Form::read(R"({"a":{"b":)" + std::string(value) + "}}");
    const FormValue outer = form->root().fields()->front().second;
    const auto result = read(outer.fields()->front().second);
    if (result) return ::testing::PrintToString(*result);
    EXPECT_EQ(result.error().kind, ErrorKind::invalid_value);
    EXPECT_EQ(result.error().param, "a.b");
    return result.error().message;
}

TEST(JsonForm, ReadsWhatFits) {
    EXPECT_EQ(outcome(R"("ä\n")", [](auto& v) { return v.text(9); }),
              "a.b has control characters in it");
    EXPECT_EQ(outcome(R"("a\n\tb")", [](auto& v) { return v.raw_text(4); }), R"("a\n\tb")");
    EXPECT_EQ(outcome(R"("a\n\tb")", [](auto& v) { return v.raw_text(3); }),
              "a.b is longer than 3 bytes");
    EXPECT_EQ(outcome(R"("ä")", [](auto& v) { return v.text(2); }),
              "\"\\xC3\\xA4\"\n    As Text: \"ä\"");
    EXPECT_EQ(outcome("true", [](auto& v) { return v.boolean(); }), "true");
    EXPECT_EQ(outcome("-3", [](auto& v) { return v.whole_number(-3, 4); }), "-3");
    EXPECT_EQ(outcome("3", [](auto& v) { return v.number(0, 4); }), "3");
    EXPECT_EQ(outcome("0.5", [](auto& v) { return v.number(0, 4); }), "0.5");
}

TEST(JsonForm, SaysWhereAndWhatElse) {
    EXPECT_EQ(outcome("1", [](auto& v) { return v.text(9); }), "a.b must be a string, not 1");
    EXPECT_EQ(outcome(R"("ab")", [](auto& v) { return v.text(1); }), "a.b is longer than 1 bytes");
    EXPECT_EQ(outcome("1", [](auto& v) { return v.boolean(); }),
              "a.b must be true or false, not 1");
    for (const char* wrong : {"5", "-1", "1.0", "1e30", "\"1\"", "null"})
        EXPECT_THAT(outcome(wrong, [](auto& v) { return v.whole_number(0, 4); }),
                    HasSubstr("a.b must be a whole number from 0 to 4, not "));
    for (const char* wrong : {"4.1", "-0.1", "\"1\"", "true"})
        EXPECT_THAT(outcome(wrong, [](auto& v) { return v.number(0, 4); }),
                    HasSubstr("a.b must be a number from 0 to 4, not "));
}

TEST(JsonForm, NamesElementsByTheirPlace) {
    const auto form = Form::read(R"({"list":[1,"two"]})");
    const auto list = form->root().fields()->front().second.elements();
    EXPECT_EQ(list->at(1).place(), "list[1]");
    EXPECT_THAT(list->at(1).elements().error().message, HasSubstr("list[1] must be an array"));
    EXPECT_THAT(list->at(1).fields().error().message, HasSubstr("list[1] must be an object"));
    EXPECT_EQ(form->root().json(), R"({"list":[1,"two"]})");
}

TEST(JsonForm, IsAnObjectOrNothing) {
    EXPECT_TRUE(Form::read("")->root().fields()->empty());
    EXPECT_TRUE(Form::read(" \n ")->root().fields()->empty());
    for (const char* text : {"[]", "1", "null", "{", "{}x", "{\"a\":99999999999999999999}",
                             "{\"a\":}", "{\"a\":\"\xff\"}", "nope"})
        EXPECT_EQ(Form::read(text).error().kind, ErrorKind::invalid_json) << text;
    EXPECT_FALSE(Form::read(std::string(5000, '[')));
}

}  // namespace
}  // namespace runnel::json
