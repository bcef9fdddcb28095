#include "router/attempt_plan.hpp"

#include "support/planned_requests.hpp"

#include <gtest/gtest.h>

#include <map>

namespace runnel::router {
namespace {

using namespace std::chrono_literals;
using enum ErrorKind;
using std::chrono::milliseconds;
using Need = Health::Need;
using Standing = Health::Standing;

class AttemptPlanTest : public PlannedRequests {};

TEST_F(AttemptPlanTest, AsksTheFirstTargetAtOnce) {
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a ok");
    EXPECT_EQ(delay(0), 0ms);
}

TEST_F(AttemptPlanTest, RetriesWithGrowingPausesThenAsksTheNextTarget) {
    always["a"] = error_of(upstream_failed);
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a a a b ok");
    EXPECT_EQ(delay(0), 0ms);
    EXPECT_GT(delay(1), 100ms);
    EXPECT_LE(delay(1), 200ms);
    EXPECT_GT(delay(2), 200ms);
    EXPECT_LE(delay(2), 400ms);
    EXPECT_EQ(delay(3), 0ms);
}

TEST_F(AttemptPlanTest, HasOneBudgetForAllTargets) {
    always["a"] = always["b"] = always["c"] = error_of(upstream_overloaded);
    request({target("a"), target("b"), target("c")}, {.retries = 3});
    EXPECT_EQ(story(), "a a a a b c failed");
    EXPECT_EQ(last_error.kind, upstream_overloaded);
}

TEST_F(AttemptPlanTest, SpendsOnALaterTargetWhatAnEarlierOneLeft) {
    script["a"] = {error_of(upstream_failed), error_of(upstream_timeout)};
    script["b"] = {error_of(upstream_failed)};
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a a b b ok");
    EXPECT_LE(delay(3), 200ms) << "the first retry of this target";
}

TEST_F(AttemptPlanTest, AsksEveryTargetWithoutAnyRetries) {
    always["a"] = always["b"] = error_of(upstream_unreachable);
    request({target("a"), target("b"), target("c")}, {.retries = 0});
    EXPECT_EQ(story(), "a b c ok");
}

TEST_F(AttemptPlanTest, RetriesASingleTarget) {
    for (const ErrorKind kind : {upstream_failed, upstream_overloaded, upstream_unreachable,
                                 upstream_malformed, upstream_truncated}) {
        const std::string name(name_of(kind));
        script[name] = {error_of(kind), error_of(kind)};
        request({target(name)});
        EXPECT_EQ(story(), fmt::format("{0} {0} {0} ok", name));
    }
}

TEST(Backoff, DoublesItsBandFromOneToTheNextUpToFiveSeconds) {
    AttemptPlan::Random random(1);
    milliseconds most = 100ms;
    for (int nth = 1; nth <= 5; ++nth) {
        milliseconds shortest = milliseconds::max(), longest{0};
        for (int i = 0; i < 2000; ++i) {
            const milliseconds pause = backoff(nth, random);
            EXPECT_GT(pause, most);
            EXPECT_LE(pause, most * 2);
            shortest = std::min(shortest, pause);
            longest = std::max(longest, pause);
        }
        EXPECT_LT(shortest, most * 11 / 10) << "random over the whole band";
        EXPECT_GT(longest, most * 19 / 10);
        most *= 2;
    }
    for (const int nth : {6, 7, 100, 1'000'000}) {
        EXPECT_LE(backoff(nth, random), 5s);
        EXPECT_GT(backoff(nth, random), 2500ms);
    }
}

TEST_F(AttemptPlanTest, WaitsAsLongAsTheProviderSays) {
    script["a"] = {error_of(upstream_rate_limited, 1500ms), error_of(upstream_overloaded, 10ms)};
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a a a ok");
    EXPECT_EQ(delay(1), 1500ms);
    EXPECT_GT(delay(2), 200ms) << "no sooner than without the provider's word";
    EXPECT_LE(delay(2), 400ms);
}

TEST_F(AttemptPlanTest, AsksSomebodyElseRatherThanWaitLong) {
    script["a"] = {error_of(upstream_rate_limited, 2001ms)};
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a b ok");
    EXPECT_EQ(delay(1), 0ms);
}

TEST_F(AttemptPlanTest, WaitsLongWhereNobodyElseIsLeft) {
    script["a"] = {error_of(upstream_rate_limited, 9s)};
    request({target("a")});
    EXPECT_EQ(story(), "a a ok");
    EXPECT_EQ(delay(1), 9s);
}

TEST_F(AttemptPlanTest, ComesBackToAPauseItDidNotWaitForWhenTheOthersFailed) {
    script["a"] = {error_of(upstream_overloaded, 8s)};
    script["b"] = {error_of(upstream_timeout)};
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a b a ok");
    EXPECT_EQ(delay(2), 8s);
    EXPECT_TRUE(asked[2].last_chance);
}

TEST_F(AttemptPlanTest, GivesUpWhereThePauseIsTooLongForAnybodyToWait) {
    always["a"] = error_of(upstream_rate_limited, 11s);
    request({target("a")});
    EXPECT_EQ(story(), "a failed");
    EXPECT_EQ(last_error.kind, upstream_rate_limited);
    EXPECT_EQ(last_error.retry_after, 11s);
}

TEST_F(AttemptPlanTest, GivesUpWhereThePauseIsLongerThanTheWindow) {
    always["b"] = error_of(upstream_failed);
    request({target("b")}, {.retries = 5, .window = 1s});
    EXPECT_EQ(story(), "b b b failed") << "100-200, 200-400, then at least 400 ms more";
}

TEST_F(AttemptPlanTest, RetriesNobodyAfterTheWindowButAsksThoseWhoWereNot) {
    AttemptPlan plan({target("a"), target("b")}, {.window = 5s}, &health, AttemptPlan::Random(1),
                     now);
    const auto attempt = plan.next(now);
    ASSERT_TRUE(plan.begin(*attempt, now));
    plan.failed(*attempt, error_of(upstream_failed), now + 10s);
    const auto other = plan.next(now + 10s);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->target, 1u);
    ASSERT_TRUE(plan.begin(*other, now + 10s));
    plan.failed(*other, error_of(upstream_failed), now + 11s);
    EXPECT_FALSE(plan.next(now + 11s));
}

TEST_F(AttemptPlanTest, BeginsNothingAfterTheTimeOut) {
    AttemptPlan plan({target("a"), target("b")}, {.timeout = 5s}, &health, AttemptPlan::Random(1),
                     now);
    const auto attempt = plan.next(now);
    ASSERT_TRUE(plan.begin(*attempt, now));
    plan.failed(*attempt, error_of(upstream_timeout), now + 4s);
    const auto other = plan.next(now + 4s);
    ASSERT_TRUE(other);
    EXPECT_FALSE(plan.begin(*other, now + 5s));
    EXPECT_FALSE(plan.next(now + 5s));
    EXPECT_FALSE(plan.hedge(now + 5s));
    EXPECT_EQ(plan.last_error().kind, upstream_timeout);
    EXPECT_EQ(plan.attempts(), 1);
}

TEST_F(AttemptPlanTest, AsksASilentTargetNotAgain) {
    always["a"] = always["a#2"] = error_of(upstream_timeout);
    request({target("a", 2), target("b")});
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_EQ(asked[1].name, "b");
    request({target("a")});
    EXPECT_EQ(story(), "a failed");
}

TEST_F(AttemptPlanTest, BlamesNobodyForAClientThatWouldNotWait) {
    for (int i = 0; i < 20; ++i) {
        AttemptPlan plan({target("a"), target("b")}, {}, &health, AttemptPlan::Random(1), now);
        const auto first = plan.next(now);
        ASSERT_TRUE(first && plan.begin(*first, now));
        plan.not_waited_for(*first, error_of(upstream_timeout), now);
        EXPECT_FALSE(plan.next(now)) << "nor is anybody else asked";
        EXPECT_EQ(plan.last_error().kind, upstream_timeout);
    }
    EXPECT_EQ(health.standing("a", now), Standing::ready);
    EXPECT_TRUE(health.entries(now).empty());
}

TEST_F(AttemptPlanTest, LeavesATargetThatCannotServeTheRequest) {
    for (const ErrorKind kind : {model_not_found, tool_unsupported_for_model, unsupported_parameter,
                                 upstream_auth, upstream_permission, upstream_quota}) {
        const std::string name(name_of(kind));
        always[name] = error_of(kind);
        request({target(name), target("b")});
        EXPECT_EQ(story(), name + " b ok");
        EXPECT_EQ(delay(1), 0ms);
    }
}

TEST_F(AttemptPlanTest, GivesUpOnWhatWouldFailEverywhere) {
    for (const ErrorKind kind :
         {upstream_rejected, content_policy_violation, invalid_value, internal_error}) {
        always["a"] = always["a#2"] = error_of(kind);
        request({target("a", 2), target("b")});
        EXPECT_EQ(asked.size(), 1u) << name_of(kind);
        EXPECT_EQ(last_error.kind, kind);
        EXPECT_FALSE(served);
    }
}

TEST_F(AttemptPlanTest, AsksOnlyThoseThatMayTakeALongerConversation) {
    AttemptPlan::Target small = target("small"), same = target("same"), large = target("large");
    small.context_length = same.context_length = 8'000;
    large.context_length = 128'000;
    always["small"] = error_of(context_length_exceeded);
    request({small, same, large});
    EXPECT_EQ(story(), "small large ok");
    request({small, target("unknown")});
    EXPECT_EQ(story(), "small unknown ok");
    request({small, same});
    EXPECT_EQ(story(), "small failed");

    always["large"] = error_of(upstream_timeout);
    request({small, large});
    EXPECT_EQ(story(), "small large failed");
    EXPECT_EQ(last_error.kind, context_length_exceeded) << "what the client can do about it";
}

TEST_F(AttemptPlanTest, TellsOfTheLastFailureButHidesNoneThatMayPass) {
    always["a"] = error_of(upstream_overloaded, 1s);
    always["b"] = error_of(upstream_auth);
    always["c"] = error_of(upstream_failed);
    always["d"] = error_of(content_policy_violation);
    request({target("a"), target("b")}, {.retries = 0});
    EXPECT_EQ(last_error.kind, upstream_overloaded);
    request({target("b"), target("a"), target("c")}, {.retries = 0});
    EXPECT_EQ(last_error.kind, upstream_failed);
    request({target("a"), target("d")}, {.retries = 0});
    EXPECT_EQ(last_error.kind, content_policy_violation);
}

TEST_F(AttemptPlanTest, BlamesALineForItsOwnFailuresOnly) {
    for (const ErrorKind kind : {upstream_rate_limited, upstream_quota, upstream_auth,
                                 upstream_permission, model_not_found, upstream_rejected}) {
        const std::string name(name_of(kind));
        always[name] = error_of(kind);
        for (int i = 0; i < 10; ++i) request({target(name)});
        EXPECT_NE(health.standing(name, now), Standing::open) << name;
    }
    for (const ErrorKind kind : {upstream_timeout, upstream_unreachable, upstream_failed,
                                 upstream_truncated, upstream_malformed, upstream_overloaded}) {
        const std::string name(name_of(kind));
        always[name] = error_of(kind);
        for (int i = 0; i < 5; ++i) request({target(name)}, {.retries = 0});
        EXPECT_EQ(health.standing(name, now), Standing::open) << name;
    }
}

TEST_F(AttemptPlanTest, KnowsAFailureBeforeAnythingWasSent) {
    AttemptPlan plan({target("a"), target("b")}, {}, &health, AttemptPlan::Random(1), now);
    const auto attempt = plan.next(now);
    plan.failed(*attempt, error_of(unsupported_parameter), now);
    EXPECT_EQ(plan.next(now)->target, 1u);
    EXPECT_EQ(plan.attempts(), 0);
}

TEST_F(AttemptPlanTest, RotatesTheKeys) {
    std::map<std::string, int> uses;
    for (int i = 0; i < 3000; ++i) {
        request({target("a", 3)});
        ++uses[asked.front().name];
    }
    EXPECT_NEAR(uses["a"], 1000, 120);
    EXPECT_NEAR(uses["a#2"], 1000, 120);
    EXPECT_NEAR(uses["a#3"], 1000, 120);
}

TEST_F(AttemptPlanTest, AsksTheNextKeyAtOnceWhereOneIsLimitedExhaustedOrRefused) {
    for (const ErrorKind kind :
         {upstream_rate_limited, upstream_quota, upstream_auth, upstream_permission}) {
        const std::string name(name_of(kind));
        always[name] = always[name + "#2"] = error_of(kind, 50s);
        bool all_in_turn = false;
        for (int i = 0; i < 20 && !all_in_turn; ++i, now += 100s) {
            request({target(name, 3)}, {.retries = 0});
            EXPECT_TRUE(served) << story();
            for (const Asked& one : asked) EXPECT_EQ(one.delay, 0ms);
            all_in_turn = asked.size() == 3;
        }
        EXPECT_TRUE(all_in_turn) << "no request began with the first key";
    }
}

TEST_F(AttemptPlanTest, RestsALimitedKeyForAsLongAsTheProviderSays) {
    always["a"] = error_of(upstream_rate_limited, 7s);
    while (asked.empty() || asked.front().name != "a") request({target("a", 2)});
    EXPECT_EQ(story(), "a a#2 ok");
    EXPECT_EQ(health.ready_at("a", now), now + 7s);
    for (int i = 0; i < 20; ++i) {
        request({target("a", 2)});
        EXPECT_EQ(story(), "a#2 ok");
    }
}

TEST_F(AttemptPlanTest, RestsAKeyForASecondOrAMinuteWhereTheProviderDoesNotSay) {
    always["a"] = error_of(upstream_rate_limited);
    always["b"] = error_of(upstream_quota);
    request({target("a")}, {.retries = 0});
    EXPECT_EQ(health.ready_at("a", now), now + 1s);
    request({target("b")});
    EXPECT_EQ(story(), "b failed");
    EXPECT_EQ(health.ready_at("b", now), now + 60s);
}

TEST_F(AttemptPlanTest, RetriesAfterThePauseWhenEveryKeyIsLimited) {
    script["a"] = {error_of(upstream_rate_limited, 1800ms)};
    script["a#2"] = {error_of(upstream_rate_limited, 900ms)};
    request({target("a", 2), target("b")});
    ASSERT_EQ(asked.size(), 3u) << story();
    EXPECT_EQ(asked[2].name, "a#2") << "it is free sooner";
    EXPECT_EQ(delay(2), 900ms);
}

TEST_F(AttemptPlanTest, RetriesALimitedTargetWithoutItsProvidersWordLikeAnyOther) {
    script["a"] = {error_of(upstream_rate_limited), error_of(upstream_rate_limited)};
    request({target("a"), target("b")});
    EXPECT_EQ(story(), "a a a ok");
    EXPECT_LE(delay(1), 200ms);
    EXPECT_LE(delay(2), 400ms);
}

TEST_F(AttemptPlanTest, ComesBackToALimitedKeyWhereTheOtherIsRefused) {
    always["a#2"] = error_of(upstream_auth);
    for (int i = 0; i < 20; ++i, now += 70s) {
        script["a"] = {error_of(upstream_rate_limited, 1s)};
        request({target("a", 2)});
        EXPECT_TRUE(served);
        EXPECT_EQ(asked.size(), 3u);
        EXPECT_EQ(asked.back().name, "a");
    }
}

TEST_F(AttemptPlanTest, RetriesWithAnotherKeyWhereTheBreakerOfTheFirstHasOpened) {
    always["a"] = error_of(upstream_failed);
    bool changed = false;
    for (int i = 0; i < 20; ++i) {
        request({target("a", 2), target("b")});
        EXPECT_TRUE(served);
        changed = changed || story() == "a a#2 ok" || story() == "a a a#2 ok";
    }
    EXPECT_EQ(health.standing("a", now), Standing::open);
    EXPECT_TRUE(changed);
    EXPECT_EQ(story(), "a#2 ok");
}

TEST_F(AttemptPlanTest, DrawsTheFirstTargetByWeight) {
    std::map<std::string, int> firsts;
    for (int i = 0; i < 4000; ++i) {
        request({{"a", 1, 3}, {"b", 1, 1}}, {.strategy = Strategy::weighted});
        ++firsts[asked.front().name];
    }
    EXPECT_NEAR(firsts["a"], 3000, 120);
}

TEST_F(AttemptPlanTest, LeavesAFailingTargetOutOfTheDraw) {
    open("a");
    for (int i = 0; i < 50; ++i) {
        request({{"a", 1, 100}, {"b", 1, 1}}, {.strategy = Strategy::weighted});
        EXPECT_EQ(story(), "b ok");
    }
}

TEST_F(AttemptPlanTest, AsksTheQuickestTargetFirst) {
    for (const auto& [name, time] : {std::pair("a", 300ms), {"b", 100ms}, {"c", 200ms}})
        health.succeeded(name, *health.admit(name, Need::choice, now), time, now);
    const std::vector<AttemptPlan::Target> targets{target("a"), target("b"), target("c")};
    int slower = 0;
    for (unsigned i = 0; i < 1000; ++i) {
        AttemptPlan plan(targets, {.strategy = Strategy::least_latency}, &health,
                         AttemptPlan::Random(i), now);
        slower += plan.next(now)->target == 1 ? 0 : 1;
    }
    EXPECT_NEAR(slower, 50, 25) << "looked at afresh now and then";
}

}  // namespace
}  // namespace runnel::router
