#include "access/key_secret.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace runnel::access {
namespace {

TEST(KeySecret, SaysWhatItIsFor) {
    Key key;
    const auto secret = give_secret(&key);
    EXPECT_THAT(secret->reveal(), ::testing::MatchesRegex("rk-[0-9A-Za-z]+"));
    EXPECT_EQ(secret->reveal().size(), 3u + 43u);
    key.kind = Key::Kind::browser;
    EXPECT_TRUE(give_secret(&key)->reveal().starts_with("pk-"));
}

TEST(KeySecret, IsKeptAsAHashAndAHint) {
    Key key;
    const auto secret = give_secret(&key);
    const std::string& text = secret->reveal();
    EXPECT_EQ(key.hash, hash_of_secret(text));
    EXPECT_EQ(key.hash.size(), 64u);
    EXPECT_EQ(key.masked, text.substr(0, 7) + "..." + text.substr(text.size() - 4));
}

TEST(KeySecret, IsNeverTheSameTwiceAndUsesEveryLetter) {
    std::set<std::string> seen;
    std::map<char, int> counts;
    Key key;
    for (int i = 0; i < 2000; ++i) {
        const auto secret = give_secret(&key);
        EXPECT_TRUE(seen.insert(secret->reveal()).second);
        for (const char c : secret->reveal().substr(3)) ++counts[c];
    }
    ASSERT_EQ(counts.size(), 62u);
    const double expected = 2000.0 * 43 / 62;  // 1387; seven deviations are 260
    for (const auto& [letter, count] : counts) EXPECT_NEAR(count, expected, 260) << letter;
}

TEST(KeySecret, AReplacedOneMayLastAWhile) {
    using namespace std::chrono_literals;
    const UtcTime now(1'800'000'000s);
    Key key;
    const auto first = give_secret(&key);
    const auto second = replace_secret(&key, 1h, now);
    EXPECT_EQ(key.hash, hash_of_secret(second->reveal()));
    EXPECT_EQ(key.old_hash, hash_of_secret(first->reveal()));
    EXPECT_EQ(key.old_hash_until, now + 1h);
    EXPECT_EQ(key.updated_at, now);
    EXPECT_TRUE(replace_secret(&key, 0ms, now));
    EXPECT_EQ(key.old_hash, "");
    EXPECT_EQ(key.old_hash_until, std::nullopt);
}

TEST(KeySecret, ShortTextsAreNotShownAtAll) {
    EXPECT_EQ(masked_secret("rk-short"), "...");
    EXPECT_EQ(masked_secret(""), "...");
    EXPECT_EQ(masked_secret("0123456789abcdef"), "0123...cdef");
}

}  // namespace
}  // namespace runnel::access
