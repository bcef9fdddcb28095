#include "policy/answer_cache.hpp"

#include <gtest/gtest.h>

namespace runnel::policy {
namespace {

using namespace std::chrono_literals;

AnswerCache::Answer answer(std::string_view text) {
    auto made = std::make_shared<CachedAnswer>();
    made->timeline.on(timeline::Text{0, text});
    return made;
}

const AnswerCache::Clock::time_point start{};

TEST(AnswerCache, GivesBackWhatWasPutUntilItsTimeIsOver) {
    AnswerCache cache(1 << 20);
    const auto kept = answer("hi");
    cache.put("k", kept, 60s, start);
    EXPECT_EQ(cache.find("k", start + 59s), kept);
    EXPECT_EQ(cache.find("k", start + 60s), nullptr);
    EXPECT_EQ(cache.find("other", start), nullptr);
    EXPECT_EQ(cache.bytes(), 0U);
}

TEST(AnswerCache, LetsGoOfWhatNobodyAskedForTheLongest) {
    AnswerCache cache(100'000);
    const std::string text(30'000, 'x');
    cache.put("a", answer(text), 60s, start);
    cache.put("b", answer(text), 60s, start);
    cache.put("c", answer(text), 60s, start);
    EXPECT_NE(cache.find("a", start), nullptr);
    cache.put("d", answer(text), 60s, start);
    EXPECT_EQ(cache.find("b", start), nullptr);
    EXPECT_NE(cache.find("a", start), nullptr);
    EXPECT_NE(cache.find("d", start), nullptr);
    EXPECT_LE(cache.bytes(), 100'000U);
}

TEST(AnswerCache, KeepsNothingThatIsLargerThanItself) {
    AnswerCache cache(1000);
    cache.put("a", answer(std::string(5000, 'x')), 60s, start);
    EXPECT_EQ(cache.find("a", start), nullptr);
    EXPECT_EQ(cache.bytes(), 0U);
}

TEST(AnswerCache, ReplacesAnAnswerAndCountsItOnce) {
    AnswerCache cache(1 << 20);
    cache.put("a", answer("one"), 60s, start);
    const std::size_t once = cache.bytes();
    const auto second = answer("two");
    cache.put("a", second, 60s, start);
    EXPECT_EQ(cache.bytes(), once);
    EXPECT_EQ(cache.find("a", start), second);
}

}  // namespace
}  // namespace runnel::policy
