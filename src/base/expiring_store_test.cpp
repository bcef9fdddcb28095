#include "base/expiring_store.hpp"

#include <gtest/gtest.h>

#include <string>

namespace runnel {
namespace {

using namespace std::chrono_literals;
using Store = ExpiringStore<std::string>;

const Store::Clock::time_point start{};

TEST(ExpiringStore, TakesItsMemoryFromTheBudget) {
    MemoryBudget budget(100'000);
    Store store(10s, 1 << 20, &budget);
    store.put("a", "1", 40'000, start);
    store.put("b", "2", 40'000, start);
    EXPECT_GE(budget.taken_for(MemoryBudget::Use::state), 80'000U);
    store.put("c", "3", 40'000, start);
    EXPECT_FALSE(store.find("a", start)) << "the oldest goes";
    EXPECT_EQ(store.find("c", start), "3");
    store.put("d", "4", 200'000, start);
    EXPECT_FALSE(store.find("d", start));
    EXPECT_EQ(budget.taken(), 0U);
}

}  // namespace
}  // namespace runnel
