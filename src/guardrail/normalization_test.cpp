#include "guardrail/normalization.hpp"

#include <gtest/gtest.h>

namespace runnel::guardrail {
namespace {

TEST(Normalization, FindsTheFirstCharacterThatIsChanged) {
    EXPECT_EQ(Normalization::first_changed(""), 0U);
    EXPECT_EQ(Normalization::first_changed("plain text of more than eight"), 29U);
    EXPECT_EQ(Normalization::first_changed("größe \U0001f642 日本 —"), 23U);
    EXPECT_EQ(Normalization::first_changed("12345678é\u00a0x"), 10U);
    EXPECT_EQ(Normalization::first_changed("\u200bx"), 0U);
}

TEST(Normalization, PassesOverWhatNobodySeesInAnyPartOfUnicode) {
    for (const char* unseen : {"\u00ad", "\u034f", "\u061c", "\u115f", "\u180e", "\u200b", "\u202e",
                               "\u2060", "\u2065", "\u206f", "\u3164", "\ufe0f", "\ufeff", "\uffa0",
                               "\ufff3", "\U0001d173", "\U000e0000", "\U000e0041", "\U000e0fff"}) {
        Normalization normalization;
        std::string normalized;
        EXPECT_TRUE(normalization.append(std::string("a") + unseen + "b", 0, normalized, 0));
        EXPECT_EQ(normalized, "ab") << unseen;
    }
    for (const char* space : {"\u00a0", "\u1680", "\u2003", "\u202f", "\u205f", "\u3000"}) {
        Normalization normalization;
        std::string normalized;
        EXPECT_TRUE(normalization.append(space, 0, normalized, 0));
        EXPECT_EQ(normalized, " ");
    }
}

TEST(Normalization, KnowsThePlacesOfTheOriginal) {
    Normalization normalization;
    std::string normalized = "ab";
    EXPECT_TRUE(normalization.append("c\u200bd", 2, normalized, 2));
    EXPECT_TRUE(normalization.append("\u00a0\u00ad\u00ade", 7, normalized, 4));
    EXPECT_EQ(normalized, "abcd e");
    //                       a  b  c  d  ' '  e
    const int begins[] = {0, 1, 2, 6, 7, 13, 14};
    const int ends[] = {0, 1, 2, 3, 7, 9, 14};
    for (std::uint64_t at = 0; at <= normalized.size(); ++at) {
        EXPECT_EQ(normalization.original_begin(at), begins[at]) << at;
        EXPECT_EQ(normalization.original_end(at), ends[at]) << at;
        EXPECT_EQ(normalization.normalized_at(normalization.original_begin(at)), at);
        EXPECT_EQ(normalization.normalized_at(normalization.original_end(at)), at);
    }
    normalization.forget_before(5);
    EXPECT_EQ(normalization.original_begin(5), 13U);
    EXPECT_EQ(normalization.original_end(5), 9U);
    EXPECT_EQ(normalization.original_end(6), 14U);
}

}  // namespace
}  // namespace runnel::guardrail
