#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace runnel {
namespace {

TEST(Utf8, TellsTheLengthOfACharacter) {
    EXPECT_EQ(utf8_sequence("a"), 1u);
    EXPECT_EQ(utf8_sequence("é!"), 2u);
    EXPECT_EQ(utf8_sequence("€!"), 3u);
    EXPECT_EQ(utf8_sequence("😀!"), 4u);
    EXPECT_EQ(utf8_sequence("\xED\x9F\xBF"), 3u);      // U+D7FF, the last before the surrogates
    EXPECT_EQ(utf8_sequence("\xF4\x8F\xBF\xBF"), 4u);  // U+10FFFF, the last of all
}

TEST(Utf8, RefusesWhatIsNoCharacter) {
    EXPECT_EQ(utf8_sequence(""), 0u);
    EXPECT_EQ(utf8_sequence("\x80"), 0u);              // a continuation byte alone
    EXPECT_EQ(utf8_sequence("\xC3"), 0u);              // cut short
    EXPECT_EQ(utf8_sequence("\xE2\x82"), 0u);          // cut short
    EXPECT_EQ(utf8_sequence("\xC0\xAF"), 0u);          // overlong '/'
    EXPECT_EQ(utf8_sequence("\xE0\x80\xAF"), 0u);      // overlong '/'
    EXPECT_EQ(utf8_sequence("\xED\xA0\x80"), 0u);      // a surrogate
    EXPECT_EQ(utf8_sequence("\xF4\x90\x80\x80"), 0u);  // beyond U+10FFFF
    EXPECT_EQ(utf8_sequence("\xFF"), 0u);
}

TEST(Utf8, ChecksWholeTexts) {
    EXPECT_TRUE(is_utf8(""));
    EXPECT_TRUE(is_utf8("aé€😀"));
    EXPECT_FALSE(is_utf8("aé€😀\x85"));
}

TEST(Utf8, KnowsControlsThatCanNotBeSeen) {
    for (const std::string_view hidden :
         {"\u0080", "\u009b", "\u202a", "\u202e", "\u2066", "\u2069"})
        EXPECT_TRUE(is_hidden_control(hidden)) << hidden;
    for (const std::string_view seen :
         {"a", "\u00a0", "é", "\u2029", "\u202f", "\u2065", "\u206a", "😀"})
        EXPECT_FALSE(is_hidden_control(seen)) << seen;
}

TEST(Utf8, CutsBetweenCharacters) {
    EXPECT_EQ(utf8_prefix("abc", 5), "abc");
    EXPECT_EQ(utf8_prefix("abc", 2), "ab");
    EXPECT_EQ(utf8_prefix("a€b", 3), "a");
    EXPECT_EQ(utf8_prefix("a€b", 4), "a€");
}

}  // namespace
}  // namespace runnel
