#include "config/sections/limits.hpp"

#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using access::Budget;
using access::RateLimits;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::problem;
using testing::read;

TEST(ConfigLimits, AreReadForModelsTeamsAndClients) {
    const auto limits = read(R"(
models:
  fast:
    targets: [demo/echo]
    limits: {rpm: 60, rpd: 1000, tpm: 90000, tpd: 1000000, max_tokens: 500}
    budget: {usd: 12.5, period: day}
  free:
    targets: [demo/echo]
    limits: {concurrent: 3}
teams:
  blue: {budget: {usd: 100, period: month}}
  red: {budget: {usd: 0.01}}
  green: {}
limits:
  concurrent: 50
  each_address: {rpm: 30, concurrency: 4}
  each_browser_key_address: {rpd: 100}
  endpoints:
    /v1/models: {rpm: 20}
    /v1/tools/execute: {rpd: 50, concurrency: 1}
  reserved_output_tokens: 1000
)")
                            .access.limits;
    EXPECT_THAT(limits.model_limits,
                ElementsAre(Pair("fast", RateLimits{60, 1000, 90'000, 1'000'000})));
    EXPECT_THAT(limits.model_budgets,
                ElementsAre(Pair("fast", Budget{Money::from_usd(12.5), Budget::Period::day})));
    EXPECT_THAT(limits.team_budgets,
                ElementsAre(Pair("blue", Budget{Money::from_usd(100), Budget::Period::month}),
                            Pair("red", Budget{Money::from_usd(0.01), Budget::Period::total})));
    EXPECT_EQ(limits.each_address, (RateLimits{.rpm = 30, .concurrency = 4}));
    EXPECT_EQ(limits.each_browser_key_address, (RateLimits{.rpd = 100}));
    EXPECT_THAT(limits.endpoint_limits,
                ElementsAre(Pair("/v1/models", RateLimits{.rpm = 20}),
                            Pair("/v1/tools/execute", RateLimits{.rpd = 50, .concurrency = 1})));
    EXPECT_EQ(limits.reserved_output_tokens, 1000);
}

TEST(ConfigLimits, AreNoneByDefault) {
    const auto limits = read("models: {m: {targets: [demo/echo]}}").access.limits;
    EXPECT_THAT(limits.model_limits, IsEmpty());
    EXPECT_THAT(limits.model_budgets, IsEmpty());
    EXPECT_EQ(limits.each_address, RateLimits{});
}

TEST(ConfigLimits, SayWhatIsWrong) {
    EXPECT_EQ(
        problem("teams: {blue: {budget: {period: day}}}"),
        "1:24: teams.blue.budget: a budget needs an amount, such as {usd: 10, period: month}");
    EXPECT_EQ(problem("teams: {blue: {budget: {usd: -1}}}"),
              "1:30: teams.blue.budget.usd must be a number from 0 to 9000000, not '-1'");
    EXPECT_EQ(problem("teams: {blue: {budget: {usd: $5}}}"),
              "1:30: teams.blue.budget.usd must be a number from 0 to 9000000, not '$5'");
    EXPECT_EQ(problem("teams: {blue: {budget: {usd: 5, period: year}}}"),
              "1:41: teams.blue.budget.period: 'year' is not one of total, day, week, month");
    EXPECT_EQ(problem("limits: {each_address: {rps: 1}}"),
              "1:25: unknown key 'rps' in limits.each_address; did you mean 'rpm'?");
    EXPECT_EQ(
        problem("limits: {each_address: {rpm: 1.5}}"),
        "1:30: limits.each_address.rpm must be a whole number from 0 to 2147483647, not '1.5'");
    EXPECT_EQ(
        problem("limits: {endpoints: {/v1/model: {rpm: 1}}}"),
        "1:22: limits.endpoints./v1/model: this is no endpoint that can have limits; there are: "
        "/v1/chat/completions, /v1/embeddings, /v1/models, /v1/tools/execute, /v1/tools, /v1/logs, "
        "/v1/usage, /v1/balance; did you mean '/v1/models'?");
    EXPECT_EQ(problem("limits: {endpoints: {/v1/models: {tpm: 1}}}"),
              "1:35: unknown key 'tpm' in limits.endpoints./v1/models; did you mean 'rpm'?");
}

TEST(ConfigLimits, SayWhatBecomesOfModelsWithoutAPrice) {
    using Unpriced = metering::SharedLimits::Unpriced;
    EXPECT_EQ(read("").access.limits.unpriced, Unpriced::refuse);
    EXPECT_EQ(read("budget: {unpriced: refuse}").access.limits.unpriced, Unpriced::refuse);
    EXPECT_EQ(read("budget: {unpriced: allow}").access.limits.unpriced, Unpriced::allow);
    EXPECT_THAT(problem("budget: {unpriced: maybe}"), HasSubstr("budget.unpriced"));
    EXPECT_THAT(problem("budget: {usd: 1}"), HasSubstr("unknown key 'usd'"));
}

}  // namespace
}  // namespace runnel::config
