#include "router/attempt_plan.hpp"
#include "support/planned_requests.hpp"

#include <gtest/gtest.h>

namespace runnel::router {
namespace {

using namespace std::chrono_literals;
using enum ErrorKind;
using Need = Health::Need;
using Standing = Health::Standing;

// What a plan does with lines that are open, resting or being probed, and with the leaves it holds.
class AttemptPlanHealthTest : public PlannedRequests {};

TEST_F(AttemptPlanHealthTest, PassesOverATargetWhoseBreakerIsOpen) {
    open("a");
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "b ok");
    EXPECT_TRUE(asked[0].last_chance);
    now += 30s;
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a ok") << "due for a probe";
}

TEST_F(AttemptPlanHealthTest, AsksAnOpenTargetOnceWhenAllTheOthersHaveFailed) {
    open("a");
    always["a"] = always["b"] = error_of(upstream_failed);
    request({target("a"), target("b")}, {.retries = 1});
    EXPECT_EQ(story(), "b b a failed");
    EXPECT_EQ(delay(2), 0ms);
    request({target("a")}, {.retries = 5});
    EXPECT_EQ(story(), "a a failed") << "the only one gets one more chance";
    request({target("a")}, {.retries = 0});
    EXPECT_EQ(story(), "a failed");
    always.clear();
    request({target("a")});
    EXPECT_EQ(story(), "a ok");
}

TEST_F(AttemptPlanHealthTest, AsksARestingTargetOnceWhereThereIsNobodyElse) {
    health.rest("a", now + 50s);
    always["a"] = error_of(upstream_rate_limited, 50s);
    request({target("a")});
    EXPECT_EQ(story(), "a failed");
    EXPECT_EQ(delay(0), 0ms);
    EXPECT_EQ(last_error.retry_after, 50s);
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "b ok");
}

TEST_F(AttemptPlanHealthTest, WaitsForARestThatEndsInAMoment) {
    health.rest("a", now + 1500ms);
    script["a"] = {error_of(upstream_failed)};
    request({target("a")});
    EXPECT_EQ(story(), "a a ok") << "rested, it is as good as any";
    EXPECT_GE(delay(0), 1500ms);
    EXPECT_LE(delay(0), 1600ms) << "not everybody at once";
}

TEST_F(AttemptPlanHealthTest, TakesTheKeyOfALastResortThatIsReadySoonest) {
    health.rest("a", now + 50s);
    health.rest("a#2", now + 20s);
    health.rest("a#3", now + 30s);
    request({target("a", 3)});
    EXPECT_EQ(story(), "a#2 ok");
}

TEST_F(AttemptPlanHealthTest, RefusesNobodyWhoHasNobodyElseToAsk) {
    open("a");
    const auto probe = health.admit("a", Need::last_resort, now);
    request({target("a")});
    EXPECT_EQ(story(), "a ok");
    always["b"] = error_of(upstream_timeout);
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "b a ok");
    health.said_nothing("a", *probe);
}

TEST_F(AttemptPlanHealthTest, GoesOnAtOnceWhenABreakerOpensUnderItsHands) {
    always["a"] = error_of(upstream_failed);
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a a a b ok");
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a a b ok");
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "b ok");
}

TEST_F(AttemptPlanHealthTest, KeepsItsRetriesWhenABreakerOpensUnderItsHandsAndNobodyElseIsLeft) {
    for (int i = 0; i < 4; ++i) script["a"].push_back(error_of(upstream_failed));
    request({target("a")}, {.retries = 0});
    request({target("a")}, {.retries = 0});
    request({target("a")}, {.retries = 0});
    script["a"] = {error_of(upstream_failed), error_of(upstream_failed)};
    request({target("a")});
    EXPECT_EQ(story(), "a a a ok");
    EXPECT_EQ(health.entries(now)[0].breaker, "half-open");
}

TEST_F(AttemptPlanHealthTest, SpendsNoRetryOnALineThatOpensDuringThePause) {
    for (const bool others : {false, true}) {
        std::vector targets{target("a")};
        if (others) targets.push_back(target("b"));
        AttemptPlan plan(targets, {.retries = 1}, &health, AttemptPlan::Random(1), now);
        const auto attempt = plan.next(now);
        ASSERT_TRUE(plan.begin(*attempt, now));
        plan.failed(*attempt, error_of(upstream_failed), now);
        const auto retry = plan.next(now);
        ASSERT_TRUE(retry);
        now += retry->delay;
        open("a");
        EXPECT_FALSE(plan.begin(*retry, now));
        const auto next = plan.next(now);
        ASSERT_TRUE(next);
        EXPECT_EQ(next->target, others ? 1u : 0u);
        EXPECT_EQ(next->delay, 0ms);
        EXPECT_TRUE(plan.begin(*next, now));
        EXPECT_EQ(plan.attempts(), 2);
        now += 10min;
        health.succeeded("a", *health.admit("a", Need::choice, now), 1ms, now);
        health.succeeded("a", *health.admit("a", Need::choice, now), 1ms, now);
    }
}

TEST_F(AttemptPlanHealthTest, AsksWhoWasTakenByAnotherRequestMeanwhileOnlyAsALastResort) {
    open("a");
    now += 30s;
    AttemptPlan plan({target("a"), target("b")}, {}, &health, AttemptPlan::Random(1), now);
    const auto attempt = plan.next(now);
    EXPECT_EQ(attempt->target, 0u);
    const auto probe = health.admit("a", Need::choice, now);
    EXPECT_FALSE(plan.begin(*attempt, now));
    const auto other = plan.next(now);
    EXPECT_EQ(other->target, 1u);
    health.said_nothing("a", *probe);
}

TEST_F(AttemptPlanHealthTest, LosesNothingOfAnAlternatingProviderThatIsTheOnlyOne) {
    for (int i = 0; i < 200; ++i) {
        script["a"] = {error_of(upstream_failed)};
        request({target("a")});
        EXPECT_EQ(story(), "a a ok") << i;
    }
}

TEST_F(AttemptPlanHealthTest, SaysWhoseFailureWouldBeTheEnd) {
    always["a"] = always["b"] = error_of(upstream_failed);
    request({target("a"), target("b")}, {.retries = 2});
    EXPECT_EQ(story(), "a a a b failed");
    for (const std::size_t at : {0u, 1u, 2u}) EXPECT_FALSE(asked[at].last_chance);
    EXPECT_TRUE(asked[3].last_chance);
}

TEST_F(AttemptPlanHealthTest, HedgesWithATargetThatIsReadyAndWasNotAsked) {
    open("b");
    AttemptPlan plan({target("a"), target("b"), target("c")}, {}, &health, AttemptPlan::Random(1),
                     now);
    const auto first = plan.next(now);
    ASSERT_TRUE(plan.begin(*first, now));
    const auto second = plan.hedge(now);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->target, 2u);
    EXPECT_EQ(second->delay, 0ms);
    EXPECT_TRUE(second->last_chance);
    ASSERT_TRUE(plan.begin(*second, now));
    EXPECT_FALSE(plan.hedge(now));

    plan.succeeded(*second, 10ms, now);
    plan.given_up(*first, now);
    EXPECT_EQ(plan.attempts(), 2);
    EXPECT_EQ(health.first_token("c"), 10ms);
    EXPECT_EQ(health.entries(now).size(), 2u) << "nothing is known of a";
}

TEST_F(AttemptPlanHealthTest, WhatNeverGotThereIsAskedAgainAtOnceAndCounted) {
    for (const int retries : {0, 1}) {
        AttemptPlan plan({target("a"), target("b")}, {.retries = retries}, &health,
                         AttemptPlan::Random(1), now);
        const auto first = plan.next(now);
        ASSERT_TRUE(plan.begin(*first, now));
        plan.stale_connection(*first, error_of(upstream_unreachable), now);
        const auto again = plan.next(now);
        ASSERT_TRUE(again);
        EXPECT_EQ(again->target, first->target);
        EXPECT_EQ(again->delay, 0ms);
        ASSERT_TRUE(plan.begin(*again, now));
        EXPECT_EQ(plan.attempts(), 2);
        plan.failed(*again, error_of(upstream_failed), now);
        // The retry, where there was one, is used up.
        const auto next = plan.next(now);
        ASSERT_TRUE(next);
        EXPECT_NE(next->target, first->target);
    }
}

TEST_F(AttemptPlanHealthTest, TheLoserOfARaceCanStillBeAsked) {
    AttemptPlan plan({target("a"), target("b")}, {.retries = 0}, &health, AttemptPlan::Random(1),
                     now);
    const auto first = plan.next(now);
    ASSERT_TRUE(plan.begin(*first, now));
    const auto second = plan.hedge(now);
    ASSERT_TRUE(plan.begin(*second, now));
    plan.succeeded(*first, 10ms, now);
    plan.given_up(*second, now);
    plan.failed(*first, error_of(upstream_truncated), now);
    const auto again = plan.next(now);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->target, second->target);
}

TEST_F(AttemptPlanHealthTest, GoesOnAfterBothOfARaceFailed) {
    AttemptPlan plan({target("a"), target("b"), target("c")}, {.retries = 1}, &health,
                     AttemptPlan::Random(1), now);
    const auto first = plan.next(now);
    ASSERT_TRUE(plan.begin(*first, now));
    const auto second = plan.hedge(now);
    ASSERT_TRUE(plan.begin(*second, now));
    plan.failed(*first, error_of(upstream_timeout), now);
    plan.failed(*second, error_of(upstream_failed), now);
    const auto retry = plan.next(now);
    EXPECT_EQ(retry->target, 1u);
    ASSERT_TRUE(plan.begin(*retry, now + retry->delay));
    plan.failed(*retry, error_of(upstream_failed), now);
    EXPECT_EQ(plan.next(now)->target, 2u);
}

TEST_F(AttemptPlanHealthTest, AsksSomebodyElseFirstAfterAnAnswerBrokeOff) {
    AttemptPlan plan({target("a"), target("b")}, {}, &health, AttemptPlan::Random(1), now);
    const auto first = plan.next(now);
    ASSERT_TRUE(plan.begin(*first, now));
    plan.succeeded(*first, 10ms, now);
    plan.failed(*first, error_of(upstream_truncated), now);
    EXPECT_EQ(health.entries(now)[0].failures, 1u);
    EXPECT_EQ(health.entries(now)[0].successes, 0u);
    const auto second = plan.next(now);
    ASSERT_EQ(second->target, 1u);
    ASSERT_TRUE(plan.begin(*second, now));
    plan.failed(*second, error_of(upstream_timeout), now);
    EXPECT_EQ(plan.next(now)->target, 0u);
}

TEST_F(AttemptPlanHealthTest, GivesItsLeavesBack) {
    open("a");
    now += 30s;
    {
        AttemptPlan plan({target("a")}, {}, &health, AttemptPlan::Random(1), now);
        ASSERT_TRUE(plan.begin(*plan.next(now), now));
        EXPECT_EQ(health.standing("a", now), Standing::open) << "being probed";
    }
    EXPECT_EQ(health.standing("a", now), Standing::ready);
}

TEST_F(AttemptPlanHealthTest, CountsASuccessOnce) {
    {
        AttemptPlan plan({target("a")}, {}, &health, AttemptPlan::Random(1), now);
        const auto attempt = plan.next(now);
        ASSERT_TRUE(plan.begin(*attempt, now));
        plan.succeeded(*attempt, 10ms, now);
        plan.succeeded(*attempt, 90ms, now);
        plan.given_up(*attempt, now);
    }
    EXPECT_EQ(health.entries(now)[0].successes, 1u);
    EXPECT_EQ(health.first_token("a"), 10ms);
}

TEST_F(AttemptPlanHealthTest, HasNothingToAskWithoutTargets) {
    request({});
    EXPECT_EQ(story(), "failed");
    EXPECT_EQ(last_error.kind, model_unavailable);
}

}  // namespace
}  // namespace runnel::router
