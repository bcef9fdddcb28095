#include "policy/accents.hpp"

#include <gtest/gtest.h>

namespace runnel::policy {

bool operator==(SplitLetter a, SplitLetter b) { return a.base == b.base && a.mark == b.mark; }

namespace {

TEST(Accents, SplitLettersOfManyScripts) {
    EXPECT_EQ(split_letter(U'é'), (SplitLetter{U'e', 0x301}));
    EXPECT_EQ(split_letter(U'ế'), (SplitLetter{U'ê', 0x301}));
    EXPECT_EQ(split_letter(U'й'), (SplitLetter{U'и', 0x306}));
    EXPECT_EQ(split_letter(U'が'), (SplitLetter{U'か', 0x3099}));
    EXPECT_EQ(split_letter(U'한'), (SplitLetter{U'하', 0x11AB}));
    EXPECT_EQ(split_letter(U'하'), (SplitLetter{0x1112, 0x1161}));
    for (const char32_t plain : {U'e', U'ß', U'か', U'日', char32_t{0x301}, char32_t{0x10FFFF}})
        EXPECT_FALSE(split_letter(plain)) << static_cast<std::uint32_t>(plain);
}

TEST(Accents, JoinWhatTheySplit) {
    int split_letters = 0;
    for (char32_t letter = 0; letter <= 0xFFFF; ++letter)
        if (const auto split = split_letter(letter)) {
            ++split_letters;
            EXPECT_EQ(joined_letter(*split), letter);
        }
    EXPECT_GT(split_letters, 11172 + 700) << "all of Korean, and what has accents elsewhere";
    EXPECT_FALSE(joined_letter({U'x', 0x301}));
    EXPECT_FALSE(joined_letter({U'한', 0x11AB}));
    EXPECT_FALSE(joined_letter({U'e', U'e'}));
}

}  // namespace
}  // namespace runnel::policy
