#include "metering/claim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::metering {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Of = Hold::Of;

// A Sunday, 15:30.
constexpr access::UtcTime sunday = sys_days(2026y / November / 15) + 15h + 30min;

std::vector<std::string> names_of(const Claim& claim) {
    std::vector<std::string> names;
    for (const Hold& hold : claim.holds) names.push_back(hold.counter);
    return names;
}

Hold budget_hold(access::Budget::Period period, access::UtcTime now) {
    access::Key key{"k1"};
    key.budget = access::Budget{Money::from_usd(1), period};
    return make_claim("c1", {&key, "fast"}, {}, now).holds.at(0);
}

TEST(Claim, IsEmptyWhereNothingIsLimited) {
    const access::Key key{"k1"};
    EXPECT_THAT(make_claim("c1", {&key, "fast", "192.0.2.7"}, {}, sunday).holds, IsEmpty());
    EXPECT_THAT(make_claim("c1", {nullptr, "fast", "192.0.2.7"}, {}, sunday).holds, IsEmpty());
}

TEST(Claim, CountsLimitsThatAreWrittenUnderOtherNames) {
    access::Key key{"k1"};
    key.model_limits = {{"quick", {10}}, {"slow", {1}}};
    SharedLimits limits;
    limits.model_limits = {{"fast", {100}}};
    limits.model_budgets = {{"fast", {Money::from_usd(9)}}};
    const std::string_view also[] = {"quick", "fast"};
    ClaimFacts facts{&key, "fast"};
    facts.also = also;
    EXPECT_THAT(names_of(make_claim("c1", facts, limits, sunday)),
                ElementsAre("model:fast/spent:total", "key:k1/requests:minute:quick",
                            "model:fast/requests:minute"));
    key.limits.rpm = 3;
    facts.model = "p/m";
    facts.also = std::span(also).first(1);
    EXPECT_THAT(names_of(model_claim("c1", facts, limits, sunday)),
                ElementsAre("key:k1/requests:minute:quick"))
        << "only what is said of the model";
}

TEST(Claim, HasAHoldForEachLimit) {
    access::Key key{"k1"};
    key.team = "blue";
    key.limits = {60, 1000, 5000, 90'000, 3};
    key.model_limits = {{"slow", {1}}, {"fast", {10}}};
    key.budget = access::Budget{Money::from_usd(2), access::Budget::Period::month};
    SharedLimits limits;
    limits.team_budgets = {{"red", {}}, {"blue", {Money::from_usd(50)}}};
    limits.model_budgets = {{"fast", {Money::from_usd(9), access::Budget::Period::week}}};
    limits.model_limits = {{"fast", {100}}};
    limits.each_address.rpm = 30;
    limits.each_browser_key_address.rpm = 5;
    const Price price{{1e-6, 2e-6}};
    const Claim claim =
        make_claim("c1", {&key, "fast", "192.0.2.7", 100, 1000, &price}, limits, sunday);
    EXPECT_THAT(names_of(claim),
                ElementsAre("key:k1/spent:month:20261101", "team:blue/spent:total",
                            "model:fast/spent:week:20261109", "key:k1/requests:minute",
                            "key:k1/requests:day:20261115", "key:k1/tokens:minute",
                            "key:k1/tokens:day:20261115", "key:k1/places:now",
                            "key:k1/requests:minute:fast", "model:fast/requests:minute",
                            "address:192.0.2.7/requests:minute"));
    EXPECT_EQ(claim.holds[0].limit, 2'000'000'000);
    EXPECT_EQ(claim.holds[0].amount, 100 * 1000 + 1000 * 2000);
    EXPECT_EQ(claim.holds[3].limit, 60);
    EXPECT_EQ(claim.holds[3].amount, 1);
    EXPECT_EQ(claim.holds[5].amount, 1100);
    EXPECT_EQ(claim.holds[7].of, Of::places);
    EXPECT_EQ(claim.holds[8].limit, 10);
    EXPECT_EQ(claim.holds[8].model, "fast");
}

TEST(Claim, OfABrowserKeyCountsEachAddressWithThatKey) {
    access::Key key{"k1"};
    key.kind = access::Key::Kind::browser;
    SharedLimits limits;
    limits.each_browser_key_address.rpm = 5;
    EXPECT_THAT(names_of(make_claim("c1", {&key, "fast", "2001:db8:1:2:3::4"}, limits, sunday)),
                ElementsAre("address:k1/2001:db8:1:2::/64/requests:minute"));
    EXPECT_THAT(names_of(make_claim("c1", {&key, "fast", ""}, limits, sunday)), IsEmpty());
}

TEST(Claim, CountsEachCallerAtAnEndpoint) {
    SharedLimits limits;
    limits.endpoint_limits = {{"/v1/models", {.rpm = 3}},
                              {"/v1/chat/completions", {.rpd = 9, .concurrency = 2}}};
    access::Key key{"k1"};
    key.limits.rpm = 60;
    ClaimFacts facts{.key = &key, .model = "fast", .client_address = "192.0.2.7"};
    facts.endpoint = "/v1/chat/completions";
    EXPECT_THAT(names_of(make_claim("c1", facts, limits, sunday)),
                ElementsAre("key:k1/requests:minute",
                            "key:k1/requests:day:20261115@/v1/chat/completions",
                            "key:k1/places:now@/v1/chat/completions"));
    // Elsewhere only the endpoint's own.
    facts.endpoint = "/v1/models";
    EXPECT_THAT(names_of(endpoint_claim("c2", facts, limits, sunday)),
                ElementsAre("key:k1/requests:minute@/v1/models"));
    key.kind = access::Key::Kind::browser;
    EXPECT_THAT(names_of(endpoint_claim("c3", facts, limits, sunday)),
                ElementsAre("address:k1/192.0.2.7/requests:minute@/v1/models"));
    facts.key = nullptr;
    EXPECT_THAT(names_of(endpoint_claim("c4", facts, limits, sunday)),
                ElementsAre("address:192.0.2.7/requests:minute@/v1/models"));
    facts.endpoint = "/v1/usage";
    EXPECT_THAT(endpoint_claim("c5", facts, limits, sunday).holds, IsEmpty());
}

TEST(Claim, KnowsWhereRequestsMayBeLimited) {
    access::Key key{"k1"};
    key.limits = {.tpm = 100, .concurrency = 1};
    EXPECT_FALSE(may_limit_requests(&key, {}));
    EXPECT_FALSE(may_limit_requests(nullptr, {}));
    key.limits.rpd = 1;
    EXPECT_TRUE(may_limit_requests(&key, {}));
    SharedLimits limits;
    limits.each_address.rpm = 1;
    EXPECT_TRUE(may_limit_requests(nullptr, limits));
}

TEST(Claim, TakesNoMoneyWhereThePriceIsNotKnown) {
    access::Key key{"k1"};
    key.budget = access::Budget{Money::from_usd(1)};
    const Claim claim = make_claim("c1", {&key, "fast", "", 100, 100}, {}, sunday);
    EXPECT_EQ(claim.holds.at(0).amount, 0);
}

TEST(Claim, CountsInTheCalendarsPeriods) {
    const Hold day = budget_hold(access::Budget::Period::day, sunday);
    EXPECT_EQ(day.own_counter(), "spent:day:20261115");
    EXPECT_EQ(day.since, sys_days(2026y / November / 15));
    EXPECT_EQ(day.lasts, 8h + 30min);

    const Hold week = budget_hold(access::Budget::Period::week, sunday);
    EXPECT_EQ(week.since, sys_days(2026y / November / 9));
    EXPECT_EQ(week.lasts, 8h + 30min);
    EXPECT_EQ(budget_hold(access::Budget::Period::week, sunday + 8h + 30min).own_counter(),
              "spent:week:20261116");

    const Hold month = budget_hold(access::Budget::Period::month, sunday);
    EXPECT_EQ(month.since, sys_days(2026y / November / 1));
    EXPECT_EQ(month.lasts, 15 * 24h + 8h + 30min);
    EXPECT_EQ(budget_hold(access::Budget::Period::month, sys_days(2028y / February / 29)).lasts,
              24h);
    EXPECT_EQ(budget_hold(access::Budget::Period::month, sys_days(2026y / December / 31)).lasts,
              24h);

    const Hold total = budget_hold(access::Budget::Period::total, sunday);
    EXPECT_EQ(total.own_counter(), "spent:total");
    EXPECT_EQ(total.since, access::UtcTime{});
}

}  // namespace
}  // namespace runnel::metering
