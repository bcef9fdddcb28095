#include "guardrail/matcher.hpp"

#include "support/guardrail_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace runnel::guardrail {
namespace {

using testing::all_pii;
using testing::pattern_rule;

MatchStream::Hits sorted(MatchStream::Hits hits) {
    std::ranges::sort(hits);
    const auto repeated = std::ranges::unique(hits);
    hits.erase(repeated.begin(), repeated.end());
    return hits;
}

MatchStream::Hits whole(Scanner* scanner, std::string_view text) {
    MatchStream stream;
    MatchStream::Hits hits;
    EXPECT_TRUE(stream.scan(scanner, text, testing::all_rules, &hits));
    EXPECT_TRUE(stream.scan_end(scanner, testing::all_rules, &hits));
    return sorted(std::move(hits));
}

MatchStream::Hits in_two(Scanner* scanner, std::string_view text, std::size_t split) {
    MatchStream stream;
    MatchStream::Hits hits;
    EXPECT_TRUE(stream.scan(scanner, text.substr(0, split), testing::all_rules, &hits));
    EXPECT_TRUE(stream.scan(scanner, text.substr(split), testing::all_rules, &hits));
    EXPECT_TRUE(stream.scan_end(scanner, testing::all_rules, &hits));
    return sorted(std::move(hits));
}

void expect_same_for_every_split(Scanner* scanner, std::string_view text) {
    const auto expected = whole(scanner, text);
    for (std::size_t split = 1; split < text.size(); ++split)
        ASSERT_EQ(in_two(scanner, text, split), expected) << text << " split at " << split;
}

TEST(MatchStream, FindsInPiecesWhatItFindsInWholeTexts) {
    const std::vector<GuardrailRule> rules{
        pattern_rule("p", {R"(\b[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30})", R"(\bfalcon\b)",
                           R"(\d{3}$)", R"(\B4\d)"}),
        all_pii()};
    Scanner scanner(*GuardrailMatcher::compile(rules, 3));
    static constexpr std::string_view words[] = {
        "Hello", " ",    ", ",         "4111",   " 1111", "1111 ",    "-1111-1111-1111",
        "a@b",   ".com", "DE89",       " 3704",  "0532",  " 0130 00", "+1 415",
        "-555-", "2671", "sk-",        "falcon", "fal",   "con",      "1234567890",
        "(",     ")",    ".comfalcon", "\n"};
    std::mt19937 random(3);
    for (int i = 0; i < 400 && !HasFatalFailure(); ++i) {
        std::string text;
        for (auto count = random() % 14 + 1; count > 0; --count)
            text += words[random() % std::size(words)];
        expect_same_for_every_split(&scanner, text);
    }
}

// Given the text or its pieces as they come, Vectorscan 5.4.9 misses a match in each of these.
TEST(MatchStream, FindsWhatVectorscanLoses) {
    const std::pair<std::string, std::string_view> lost[] = {
        {R"((?:\(0\d{1,4}\)|\b0\d{1,4})[ /-]\d{3,8}(?:[ -]?\d{1,5}){0,3})",
         ".com consk-.com1234567890(.comfalcon-1111-1111-1111 0130 001111 "},
        {R"((?:\+|\b00)[1-9]\d{0,2}(?:[ ./-]?\(?\d{1,4}\)?){2,6})",
         ".com consk-.com1234567890(.comfalcon-1111-1111-1111 0130 001111 "}};
    for (const auto& [pattern, text] : lost) {
        const std::vector<GuardrailRule> rules{pattern_rule("p", {pattern})};
        Scanner scanner(*GuardrailMatcher::compile(rules, 1));
        EXPECT_FALSE(whole(&scanner, text).empty());
        expect_same_for_every_split(&scanner, text);
    }
}

TEST(MatchStream, OnlyTellsOfTheRulesAskedFor) {
    const std::vector<GuardrailRule> rules{pattern_rule("a", {"x"}), pattern_rule("b", {"x"})};
    Scanner scanner(*GuardrailMatcher::compile(rules, 3));
    MatchStream stream;
    MatchStream::Hits hits;
    EXPECT_TRUE(stream.scan(&scanner, "-x", guardrail_bit(1), &hits));
    EXPECT_EQ(hits, (MatchStream::Hits{{2, 1}}));
}

TEST(MatchStream, StopsWhereThereAreTooManyMatches) {
    const std::vector<GuardrailRule> rules{pattern_rule("a", {"x"})};
    Scanner scanner(*GuardrailMatcher::compile(rules, 1));
    MatchStream stream;
    MatchStream::Hits hits;
    EXPECT_FALSE(stream.scan(&scanner, std::string(200'000, 'x'), testing::all_rules, &hits));
}

}  // namespace
}  // namespace runnel::guardrail
