#include "cli/chat/terminal_text.hpp"

#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <random>

namespace runnel::cli {
namespace {

TEST(TerminalText, StaysAsItIsWhereItIsHarmless) {
    for (const std::string_view text :
         {"", "plain", "two\nlines\tand a tab", "Grüße, 世界 🌍 ‏שלום"})
        EXPECT_EQ(for_terminal(text), text);
}

TEST(TerminalText, ShowsControlCharactersAsSigns) {
    EXPECT_EQ(for_terminal("\033[2J"), "␛[2J");
    EXPECT_EQ(for_terminal("\033]52;c;eA==\a"), "␛]52;c;eA==␇");
    EXPECT_EQ(for_terminal(std::string_view("\0\b\x7F", 3)), "␀␈␡");
    EXPECT_EQ(for_terminal("hidden\rshown\r\n"), "hiddenshown\n");
    EXPECT_EQ(for_terminal("\xC2\x9B"
                           "31m\xC2\xA0"),
              "\xEF\xBF\xBD"
              "31m\xC2\xA0");
    EXPECT_EQ(for_terminal("a\u202Eb\u2066c"), "a\uFFFDb\uFFFDc");
    EXPECT_EQ(for_terminal("\xFF"
                           "a\x9B"),
              "\uFFFDa\uFFFD");
}

TEST(TerminalText, NeverHasWhatATerminalObeys) {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        for (int n = 0; n < 40; ++n)
            text += static_cast<char>(random() % 3 ? random() % 64 : random());
        const std::string shown = for_terminal(text);
        EXPECT_TRUE(is_utf8(shown));
        EXPECT_EQ(for_terminal(shown), shown);
        for (const char c : shown)
            EXPECT_TRUE(c == '\n' || c == '\t' || c < 0 || (c >= ' ' && c != 0x7F));
    }
}

}  // namespace
}  // namespace runnel::cli
