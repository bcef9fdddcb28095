#include "exchange/held_memory.hpp"

#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using namespace std::chrono_literals;

TEST(HeldMemory, IsTheProvidersFaultBeyondWhatOneAnswerMayHave) {
    HeldMemory memory(nullptr);
    EXPECT_TRUE(memory.hold(limits::held_answer_bytes));
    const auto refused = memory.hold(limits::held_answer_bytes + 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::upstream_malformed);
}

TEST(HeldMemory, IsToBeTriedAgainWhereOthersHaveIt) {
    MemoryBudget budget(limits::mib);
    {
        HeldMemory first(&budget);
        HeldMemory second(&budget);
        ASSERT_TRUE(first.hold(limits::mib / 2));
        const auto refused = second.hold(limits::mib);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::overloaded);
        EXPECT_EQ(refused.error().retry_after, 1s);
        EXPECT_EQ(budget.taken_for(MemoryBudget::Use::answers), limits::mib / 2);
    }
    EXPECT_EQ(budget.taken(), 0U);
}

}  // namespace
}  // namespace runnel::exchange
