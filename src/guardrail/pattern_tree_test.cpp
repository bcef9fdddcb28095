#include "guardrail/pattern_tree.hpp"

#include "guardrail/matcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::guardrail {
namespace {

using ::testing::HasSubstr;

std::string problem(std::string_view pattern, std::size_t hold_characters = 64) {
    const auto checked = check_pattern(pattern, hold_characters);
    return checked ? "" : checked.error();
}

TEST(Patterns, TakeWhatPeopleWrite) {
    for (const std::string_view pattern : {R"(\bproject[- ]?(?:falcon|heron)\b)",
                                           R"((?i)top secret)",
                                           R"([A-Z]{3}-\d{6})",
                                           R"((?<year>\d{4})/\d\d)",
                                           R"([[:alpha:]]{3}[^[:space:]])",
                                           R"(\x41\x{e9}é)",
                                           "[]a]b",
                                           "[a-]",
                                           "a{,3}",
                                           "{",
                                           R"(\.\*\[\\)",
                                           R"((?:a|b|)c)",
                                           "a??b",
                                           R"((?#a comment)a)",
                                           R"([\d\-.]x)",
                                           R"((?m)^From:)",
                                           "a$",
                                           R"((?i:Größe)x)",
                                           "(?P<n>a)",
                                           R"(\h\Sx)"})
        EXPECT_EQ(problem(pattern), "") << pattern;
}

TEST(Patterns, ThatCanNotRunAreRefusedWithAReason) {
    EXPECT_THAT(problem("(a"), HasSubstr("without a )"));
    EXPECT_THAT(problem("a)"), HasSubstr("without a ("));
    EXPECT_THAT(problem("[a"), HasSubstr("without a ]"));
    EXPECT_THAT(problem("*a"), HasSubstr("nothing before *"));
    EXPECT_THAT(problem("(?<=a)b"), HasSubstr("look-behind"));
    EXPECT_THAT(problem("(?!a)b"), HasSubstr("look-ahead"));
    EXPECT_THAT(problem(R"((a)\1)"), HasSubstr("back-references"));
    EXPECT_THAT(problem(R"(\p{L})"), HasSubstr("write the characters"));
    EXPECT_THAT(problem("a++"), HasSubstr("possessive"));
    EXPECT_THAT(problem("(?>a)"), HasSubstr("atomic"));
    EXPECT_THAT(problem("[b-a]"), HasSubstr("backwards"));
    EXPECT_THAT(problem("a{3,2}"), HasSubstr("backwards"));
    EXPECT_THAT(problem("a{9999}"), HasSubstr("4096 times"));
    EXPECT_THAT(problem("(?:(?:a{100}){100}){100}"), HasSubstr("too large"));
    EXPECT_THAT(problem(R"(\)"), HasSubstr("middle of an escape"));
    EXPECT_THAT(problem("\xff"), HasSubstr("not UTF-8"));
    EXPECT_THAT(problem(std::string(100, '(') + "a" + std::string(100, ')')), HasSubstr("deep"));
}

TEST(Patterns, ThatMatchNothingAtAllAreRefused) {
    for (const std::string_view pattern : {"", "a*", "(?:a|b?)", "^", R"(\b)", "(?i)", "$", "a{0}"})
        EXPECT_THAT(problem(pattern), HasSubstr("nothing at all")) << pattern;
}

TEST(Patterns, ThatAStreamWouldWaitForTooLongAreRefused) {
    EXPECT_THAT(problem("BEGIN.*END"), HasSubstr("for ever"));
    EXPECT_EQ(problem("BEGIN.*END", 0), "") << "no stream waits for what only looks at input";
    EXPECT_THAT(problem("a[a-z]{100}b"), HasSubstr("set hold_characters: 102"));
    EXPECT_EQ(problem("a[a-z]{100}b", 102), "");
    EXPECT_EQ(problem("sk-[a-z]{20,}"), "") << "it is known to be one after 23";
}

}  // namespace
}  // namespace runnel::guardrail
