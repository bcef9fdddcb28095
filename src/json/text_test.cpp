#include "json/text.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace runnel::json {
namespace {

std::string escaped(std::string_view plain) {
    std::string out;
    append_escaped(out, plain);
    return out;
}

// The fragments as the client gets them, each on its own, and what is left at the end.
std::vector<std::string> joined(const std::vector<std::string>& fragments) {
    Joiner joiner;
    std::string scratch;
    std::vector<std::string> clean;
    for (const std::string& fragment : fragments)
        clean.emplace_back(joiner.join(fragment, scratch));
    if (joiner.holding()) clean.emplace_back(joiner.flush(scratch));
    return clean;
}

using Texts = std::vector<std::string>;

TEST(JsonText, EscapesQuotesBackslashesAndControlCharactersOnly) {
    EXPECT_EQ(escaped("a\"b\\c\n\t\r\b\f\x01\x1f/é😀\x7f"),
              "a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0001\\u001f/é😀\x7f");
    EXPECT_EQ(escaped(""), "");
    EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\u0000");
}

TEST(JsonText, UnescapesEveryEscape) {
    EXPECT_EQ(unescaped(R"(a\"b\\c\/\n\t\r\b\f\u0041\u00e9\u20ac\ud83d\ude00)"),
              "a\"b\\c/\n\t\r\b\fAé€😀");
}

TEST(JsonText, UnescapesWhatItEscaped) {
    std::string all;
    for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
    EXPECT_EQ(unescaped(escaped(all)), all);
}

TEST(JsonText, UnescapesLoneSurrogatesAsReplacementCharacters) {
    EXPECT_EQ(unescaped(R"(a\ud83db)"), "a\uFFFDb");
    EXPECT_EQ(unescaped(R"(\ude00)"), "\uFFFD");
    EXPECT_EQ(unescaped(R"(\ud83d\ud83d\ude00)"), "\uFFFD😀");
    EXPECT_EQ(unescaped(R"(\ud83d\n)"), "\uFFFD\n");
}

TEST(JsonText, UnescapesBrokenEscapesWithoutReadingPastTheEnd) {
    EXPECT_EQ(unescaped("a\\"), "a");
    EXPECT_EQ(unescaped("\\u12"), "12");
    EXPECT_EQ(unescaped("\\ud83d\\u"), "\uFFFD");
    EXPECT_EQ(unescaped("\\q"), "");
    EXPECT_EQ(unescaped("\\é"), "é");
}

TEST(JsonText, KnowsLegalEscapes) {
    EXPECT_TRUE(escapes_are_legal(R"(a\"\\\/\b\f\n\r\t\u12aF)"));
    EXPECT_FALSE(escapes_are_legal(R"(\x)"));
    EXPECT_FALSE(escapes_are_legal(R"(\u12g4)"));
    EXPECT_FALSE(escapes_are_legal(R"(\u123)"));
    EXPECT_FALSE(escapes_are_legal("\\"));
}

TEST(Cleaned, IsATextThatIsWholeByItself) {
    std::string scratch;
    const std::string_view plain = R"(a\n\"b\")";
    EXPECT_EQ(cleaned(plain, scratch).data(), plain.data());
    EXPECT_EQ(cleaned(R"(a\/\u00e9)", scratch), "a/é");
    EXPECT_EQ(cleaned(R"(a\ud83d)", scratch), "a\uFFFD");
    EXPECT_EQ(cleaned(R"(\ud83d)", scratch), "\uFFFD");
}

TEST(Joiner, HandsOutCleanFragmentsInPlace) {
    Joiner joiner;
    std::string scratch;
    const std::string fragment = R"(say \"é\"\n)";
    EXPECT_EQ(joiner.join(fragment, scratch).data(), fragment.data());
}

TEST(Joiner, WritesCharactersAsUtf8) {
    EXPECT_EQ(joined({R"(caf\u00e9 \/ \u20ac \ud83d\ude00)"}), Texts{"café / € 😀"});
}

TEST(Joiner, KeepsEscapedWhatMustBe) {
    EXPECT_EQ(joined({R"(\u0022\u005c\u000a\u0000\u001f\n)"}), Texts{R"(\"\\\n\u0000\u001f\n)"});
}

TEST(Joiner, JoinsASurrogatePairCutInTwo) {
    EXPECT_EQ(joined({R"(a\ud83d)", R"(\ude00b)"}), (Texts{"a", "😀b"}));
    EXPECT_EQ(joined({R"(\ud83d)", "", R"(\ude00)"}), (Texts{"", "", "😀"}));
}

TEST(Joiner, ReplacesAHalfWhoseOtherHalfDoesNotCome) {
    EXPECT_EQ(joined({R"(a\ud83d)", "b"}), (Texts{"a", "\uFFFDb"}));
    EXPECT_EQ(joined({R"(\ude00)"}), Texts{"\uFFFD"});
    EXPECT_EQ(joined({R"(\ud83d)"}), (Texts{"", "\uFFFD"}));
    EXPECT_EQ(joined({R"(\ud83d)", R"(\n)"}), (Texts{"", "\uFFFD\\n"}));
    EXPECT_EQ(joined({R"(\ud83d\ud83d)", R"(\ude00)"}), (Texts{"\uFFFD", "😀"}));
}

TEST(Joiner, JoinsTheBytesOfOneCharacter) {
    // The parser spells bytes that are not UTF-8 as \udcXX.
    EXPECT_EQ(joined({R"(caf\udcc3)", R"(\udca9!)"}), (Texts{"caf", "é!"}));
    EXPECT_EQ(joined({R"(\udcf0)", R"(\udc9f\udc98)", R"(\udc80)"}), (Texts{"", "", "😀"}));
}

TEST(Joiner, ReplacesBytesThatMakeNoCharacter) {
    EXPECT_EQ(joined({R"(\udcff)"}), Texts{"\uFFFD"});
    EXPECT_EQ(joined({R"(\udcc3x)"}), Texts{"\uFFFDx"});
    EXPECT_EQ(joined({R"(\udcc3)"}), (Texts{"", "\uFFFD"}));
    EXPECT_EQ(joined({R"(\udcc0\udc80)"}), Texts{"\uFFFD\uFFFD"});              // overlong
    EXPECT_EQ(joined({R"(\udced\udca0\udc80)"}), Texts{"\uFFFD\uFFFD\uFFFD"});  // a surrogate
}

TEST(Joiner, ReplacesWhatIsNoEscape) {
    EXPECT_EQ(joined({R"(a\xb)"}), Texts{"a\uFFFDb"});
    EXPECT_EQ(joined({"a\\"}), Texts{"a\uFFFD"});
    EXPECT_EQ(joined({"a\\é"}), Texts{"a\uFFFDé"});
}

TEST(Joiner, GivesTheSameTextForEveryCutBetweenUnits) {
    const std::vector<std::string> units = {"a",         R"(\ud83d)", R"(\ude00)", R"(\")", "é",
                                            R"(\u00e9)", R"(\udcc3)", R"(\udca9)", "z"};
    for (std::size_t cut = 0; cut <= units.size(); ++cut) {
        std::string first;
        std::string second;
        for (std::size_t i = 0; i < units.size(); ++i) (i < cut ? first : second) += units[i];
        std::string all;
        for (const std::string& piece : joined({first, second})) all += piece;
        EXPECT_EQ(all, R"(a😀\"ééé)"
                       "z")
            << "cut at " << cut;
    }
}

}  // namespace
}  // namespace runnel::json
