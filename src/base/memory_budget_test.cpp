#include "base/memory_budget.hpp"

#include "base/limits.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace runnel {
namespace {

using Share = MemoryBudget::Share;
constexpr std::size_t step = limits::memory_step_bytes;

TEST(MemoryBudget, GivesWhatIsThereAndNoMore) {
    MemoryBudget budget(10 * step);
    Share first(&budget);
    Share second(&budget);
    EXPECT_TRUE(first.resize(6 * step));
    EXPECT_FALSE(second.resize(5 * step));
    EXPECT_EQ(budget.taken(), 6 * step);
    EXPECT_TRUE(second.resize(4 * step));
    EXPECT_FALSE(first.resize(7 * step));
}

TEST(MemoryBudget, HasItAllBackWhenTheHoldersAreGone) {
    MemoryBudget budget(100 * step);
    {
        Share first(&budget);
        ASSERT_TRUE(first.resize(3 * step + 1));
        EXPECT_EQ(budget.taken(), 4 * step);
        Share moved(std::move(first));
        Share other(&budget);
        ASSERT_TRUE(other.resize(1));
        other = std::move(moved);
        EXPECT_EQ(budget.taken(), 4 * step);
        ASSERT_TRUE(other.resize(50 * step));
        ASSERT_TRUE(other.resize(step));
        EXPECT_EQ(budget.taken(), step);
    }
    EXPECT_EQ(budget.taken(), 0U);
}

TEST(MemoryBudget, IsShortBeforeItIsUsedUp) {
    MemoryBudget budget(16 * step);
    Share share(&budget);
    ASSERT_TRUE(share.resize(13 * step));
    EXPECT_FALSE(budget.is_short());
    ASSERT_TRUE(share.resize(14 * step));
    EXPECT_TRUE(budget.is_short());
    ASSERT_TRUE(share.resize(16 * step));
}

TEST(MemoryBudget, KnowsWhatItIsTakenFor) {
    MemoryBudget budget(16 * step);
    Share answers(&budget, MemoryBudget::Use::answers);
    Share cache(&budget, MemoryBudget::Use::cache);
    ASSERT_TRUE(answers.resize(2 * step));
    ASSERT_TRUE(cache.resize(13 * step));
    EXPECT_EQ(budget.taken_for(MemoryBudget::Use::answers), 2 * step);
    EXPECT_EQ(budget.taken_for(MemoryBudget::Use::cache), 13 * step);
    EXPECT_FALSE(budget.is_short()) << "a cache can be done without";
    Share moved = std::move(answers);
    moved.drop();
    EXPECT_EQ(budget.taken_for(MemoryBudget::Use::answers), 0U);
}

TEST(MemoryBudget, AsksTheCacheBeforeItRefuses) {
    MemoryBudget budget(10 * step);
    Share cache(&budget, MemoryBudget::Use::cache);
    std::vector<std::size_t> asked;
    budget.set_give_up([&](std::size_t bytes) {
        asked.push_back(bytes);
        ASSERT_TRUE(cache.resize(step));
    });
    ASSERT_TRUE(cache.resize(8 * step));
    EXPECT_FALSE(cache.resize(11 * step)) << "it is not asked for its own sake";
    Share answers(&budget, MemoryBudget::Use::answers);
    EXPECT_TRUE(answers.resize(5 * step));
    EXPECT_FALSE(answers.resize(10 * step));
    EXPECT_EQ(asked, (std::vector<std::size_t>{5 * step, 5 * step}));
}

TEST(MemoryBudget, TakesEverySizeWithoutALimit) {
    Share alone;
    EXPECT_TRUE(alone.resize(std::size_t{1} << 60));
    MemoryBudget unlimited;
    Share share(&unlimited);
    EXPECT_TRUE(share.resize(std::size_t{1} << 60));
    EXPECT_FALSE(unlimited.is_short());
}

TEST(MemoryBudget, HasItAllBackFromManyThreads) {
    MemoryBudget budget(100 * step);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&budget] {
            for (std::size_t round = 0; round < 2'000; ++round) {
                Share share(&budget);
                (void)share.resize(round % 60 * step);
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(budget.taken(), 0U);
}

}  // namespace
}  // namespace runnel
