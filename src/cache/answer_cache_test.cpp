#include "cache/answer_cache.hpp"

#include <gtest/gtest.h>

namespace runnel::cache {
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

TEST(AnswerCache, GivesItsMemoryUpToOthers) {
    MemoryBudget budget(200'000);
    AnswerCache cache(1 << 20, &budget);
    budget.set_give_up([&](std::size_t bytes) { cache.give_up(bytes); });
    const std::string text(40'000, 'x');
    for (const char* key : {"a", "b", "c", "d"}) cache.put(key, answer(text), 60s, start);
    EXPECT_GE(budget.taken_for(MemoryBudget::Use::cache), 160'000U);
    cache.put("e", answer(text), 60s, start);
    EXPECT_EQ(cache.find("e", start), nullptr) << "there is no room, and others are not asked";

    MemoryBudget::Share other(&budget, MemoryBudget::Use::answers);
    EXPECT_TRUE(other.resize(60'000));
    EXPECT_EQ(cache.find("a", start), nullptr);
    EXPECT_NE(cache.find("d", start), nullptr);
    EXPECT_TRUE(other.resize(190'000));
    EXPECT_EQ(cache.bytes(), 0U);
    EXPECT_EQ(budget.taken_for(MemoryBudget::Use::cache), 0U);
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
}  // namespace runnel::cache
