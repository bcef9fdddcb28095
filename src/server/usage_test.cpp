#include "server/usage.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using namespace std::chrono;
using access::Budget;
using access::Key;
using access::UtcTime;

constexpr UtcTime now = sys_days(2026y / November / 15) + 12h;

TEST(Balance, TellsWhatIsLeftOfTheKeysAndTheTeamsBudget) {
    Key key{.id = "k1", .team = "blue"};
    key.budget = Budget{Money::from_usd(20), Budget::Period::month};
    const metering::SharedLimits limits{
        .team_budgets = {{"blue", {Money::from_usd(5), Budget::Period::total}}}};
    const metering::Claim budgets = metering::budgets_of(key, limits, now);
    EXPECT_EQ(balance_json(budgets, {{1'500'000'000, 250'000'000}, {5'010'000'000, 0}}, now),
              R"({"object":"balance","remaining_usd":0,)"
              R"("key":{"period":"month","limit_usd":20,"spent_usd":1.25,"reserved_usd":0.25,)"
              R"("remaining_usd":18.5,"resets_at":"2026-12-01T00:00:00Z"},)"
              R"("team":{"period":"total","limit_usd":5,"spent_usd":5.01,"reserved_usd":0,)"
              R"("remaining_usd":0,"resets_at":null}})");
}

TEST(Balance, IsNullWhereNothingIsBudgeted) {
    const Key key{.id = "k1", .team = "blue"};
    const metering::Claim budgets = metering::budgets_of(key, {}, now);
    EXPECT_EQ(balance_json(budgets, {}, now),
              R"({"object":"balance","remaining_usd":null,"key":null,"team":null})");
}

}  // namespace
}  // namespace runnel::server
