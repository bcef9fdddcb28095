#include "router/breaker.hpp"

#include <gtest/gtest.h>

#include <random>

namespace runnel::router {
namespace {

using namespace std::chrono_literals;
using Need = Breaker::Need;
using State = Breaker::State;
using Time = Breaker::Time;

class BreakerTest : public testing::Test {
protected:
    enum class Outcome { success, failure };

    bool use(Outcome outcome, Need need = Need::choice) {
        const auto leave = breaker.admit(need, now);
        if (!leave) return false;
        if (outcome == Outcome::success)
            breaker.succeeded(*leave, now);
        else
            breaker.failed(*leave, now);
        return true;
    }
    void fail(int times) {
        for (int i = 0; i < times; ++i) ASSERT_TRUE(use(Outcome::failure));
    }
    void succeed(int times) {
        for (int i = 0; i < times; ++i) ASSERT_TRUE(use(Outcome::success));
    }
    void open() {
        fail(Breaker::failures_to_open);
        ASSERT_EQ(breaker.state(now), State::open);
    }
    // How long it is open from now on, as one who has a choice sees it.
    std::chrono::seconds open_for() const {
        return std::chrono::duration_cast<std::chrono::seconds>(breaker.ready_at(now) - now);
    }

    Breaker breaker;
    Time now{1h};
};

TEST_F(BreakerTest, OpensAtFiveFailures) {
    fail(4);
    EXPECT_EQ(breaker.state(now), State::closed);
    fail(1);
    EXPECT_EQ(breaker.state(now), State::open);
    EXPECT_FALSE(breaker.admit(Need::choice, now));
}

TEST_F(BreakerTest, OpensOnlyWhenHalfOfTheOutcomesAreFailures) {
    succeed(6);
    fail(5);
    EXPECT_EQ(breaker.state(now), State::closed);
    fail(1);
    EXPECT_EQ(breaker.state(now), State::open);
}

TEST_F(BreakerTest, LooksAtTheLastTwentyOutcomes) {
    succeed(1000);
    fail(9);
    EXPECT_EQ(breaker.state(now), State::closed);
    fail(1);
    EXPECT_EQ(breaker.state(now), State::open);
}

TEST_F(BreakerTest, ForgetsOutcomesAfterAMinute) {
    fail(4);
    now += 61s;
    fail(4);
    EXPECT_EQ(breaker.state(now), State::closed);
    EXPECT_EQ(breaker.recent(now).failures, 4u);
    now += 60s;
    fail(1);
    EXPECT_EQ(breaker.state(now), State::open);
}

TEST_F(BreakerTest, CountsNothingThatSaysNothing) {
    for (int i = 0; i < 100; ++i) breaker.said_nothing(*breaker.admit(Need::choice, now));
    EXPECT_TRUE(breaker.untouched());
    fail(5);
    EXPECT_EQ(breaker.state(now), State::open);
}

TEST_F(BreakerTest, IsOpenForHalfAMinuteAndThenAdmitsOneProbeAtATime) {
    open();
    EXPECT_EQ(open_for(), 30s);
    now += 29s;
    EXPECT_FALSE(breaker.ready(now));
    now += 1s;
    EXPECT_TRUE(breaker.ready(now));
    EXPECT_EQ(breaker.state(now), State::half_open);

    const auto probe = breaker.admit(Need::choice, now);
    ASSERT_TRUE(probe);
    EXPECT_FALSE(breaker.ready(now));
    EXPECT_GT(breaker.ready_at(now), now);
    EXPECT_FALSE(breaker.admit(Need::choice, now));
    EXPECT_TRUE(breaker.admit(Need::last_resort, now));
    breaker.succeeded(*probe, now);
    EXPECT_TRUE(breaker.ready(now));
}

TEST_F(BreakerTest, ClosesAfterTwoSuccessfulProbesInARow) {
    open();
    now += 30s;
    succeed(1);
    EXPECT_EQ(breaker.state(now), State::half_open);
    succeed(1);
    EXPECT_EQ(breaker.state(now), State::closed);
    EXPECT_EQ(breaker.recent(now).failures, 0u);

    now += 10min;
    open();
    now += 30s;
    succeed(1);
    fail(1);
    now += 30s;
    succeed(1);
    EXPECT_EQ(breaker.state(now), State::half_open) << "the successes were not in a row";
}

TEST_F(BreakerTest, StaysOpenForTheSameTimeAfterEachFailedProbe) {
    open();
    for (int i = 0; i < 5; ++i) {
        now = breaker.ready_at(now);
        fail(1);
        EXPECT_EQ(open_for(), 30s);
    }
}

TEST_F(BreakerTest, StaysOpenTwiceAsLongWhenItOpensSoonAfterClosing) {
    open();
    now += 30s;
    succeed(2);
    now += 60s;
    open();
    EXPECT_EQ(open_for(), 60s);
    now += 60s;
    succeed(2);
    open();
    EXPECT_EQ(open_for(), 120s);
    now += 120s;
    succeed(2);
    open();
    EXPECT_EQ(open_for(), 120s) << "and no longer";
    now += 120s;
    succeed(2);
    now += 61s;
    open();
    EXPECT_EQ(open_for(), 30s);
}

TEST_F(BreakerTest, IsProbedBeforeItsTimeWhereThereIsNobodyElse) {
    open();
    const auto probe = breaker.admit(Need::last_resort, now);
    ASSERT_TRUE(probe);
    const auto beside = breaker.admit(Need::last_resort, now);
    ASSERT_TRUE(beside) << "nobody is refused who has nobody else to ask";
    breaker.succeeded(*beside, now);
    EXPECT_EQ(breaker.state(now), State::open) << "that was no probe";
    breaker.failed(*probe, now);
    EXPECT_EQ(open_for(), 30s) << "that it is open is no news";

    ASSERT_TRUE(use(Outcome::success, Need::last_resort));
    EXPECT_EQ(breaker.state(now), State::half_open);
    succeed(1);
    EXPECT_EQ(breaker.state(now), State::closed);
}

TEST_F(BreakerTest, AdmitsAnotherProbeWhenOneSaidNothingOrTakesTooLong) {
    open();
    now += 30s;
    breaker.said_nothing(*breaker.admit(Need::choice, now));
    const auto slow = breaker.admit(Need::choice, now);
    ASSERT_TRUE(slow);
    now += 9s;
    EXPECT_FALSE(breaker.admit(Need::choice, now));
    now += 1s;
    const auto quick = breaker.admit(Need::choice, now);
    ASSERT_TRUE(quick);
    breaker.said_nothing(*slow);
    EXPECT_FALSE(breaker.admit(Need::choice, now)) << "the second is still under way";
    breaker.succeeded(*quick, now);
    EXPECT_TRUE(breaker.ready(now));
}

TEST_F(BreakerTest, HearsNothingFromAttemptsThatBeganBeforeItOpenedOrClosed) {
    const auto early = breaker.admit(Need::choice, now);
    open();
    now += 30s;
    const auto probe = breaker.admit(Need::choice, now);
    breaker.failed(*early, now);
    EXPECT_EQ(breaker.state(now), State::half_open);
    breaker.succeeded(*early, now);
    EXPECT_FALSE(breaker.admit(Need::choice, now)) << "the probe is still under way";
    breaker.succeeded(*probe, now);
    succeed(1);
    ASSERT_EQ(breaker.state(now), State::closed);
    for (int i = 0; i < 20; ++i) breaker.failed(*early, now);
    EXPECT_EQ(breaker.state(now), State::closed);
}

TEST_F(BreakerTest, TakesASuccessBackThatBrokeOff) {
    succeed(4);
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(breaker.state(now), State::closed);
        const auto leave = breaker.admit(Need::choice, now);
        breaker.succeeded(*leave, now);
        breaker.broke_off(*leave, now);
    }
    EXPECT_EQ(breaker.recent(now).successes, 4u);
    EXPECT_EQ(breaker.recent(now).failures, 5u);
    EXPECT_EQ(breaker.state(now), State::open);
}

TEST_F(BreakerTest, OpensAgainWhenAProbeBreaksOff) {
    open();
    now += 30s;
    const auto probe = breaker.admit(Need::choice, now);
    breaker.succeeded(*probe, now);
    breaker.broke_off(*probe, now);
    EXPECT_EQ(breaker.state(now), State::open);
    EXPECT_EQ(open_for(), 30s);
    breaker.broke_off(*probe, now);
    EXPECT_EQ(open_for(), 30s);
}

TEST_F(BreakerTest, CountsABreakOffAlsoWhenItsSuccessIsForgotten) {
    for (int i = 0; i < 5; ++i) {
        const auto leave = breaker.admit(Need::choice, now);
        breaker.succeeded(*leave, now);
        breaker.broke_off(*leave, now + 50s + i * 1s);
    }
    EXPECT_EQ(breaker.state(now + 55s), State::open);
}

// Somebody asks every 100 ms for an hour; there is somebody else to ask.
struct Hour {
    int asked = 0;
    std::chrono::milliseconds longest_gap{0};
};
template <typename IsWell>
Hour ask_for_an_hour(Breaker& breaker, IsWell is_well) {
    Hour hour;
    const Time begin{1h};
    Time last = begin;
    for (Time now = begin; now < begin + 1h; now += 100ms) {
        const auto leave = breaker.admit(Need::choice, now);
        if (!leave) continue;
        ++hour.asked;
        hour.longest_gap =
            std::max(hour.longest_gap, std::chrono::milliseconds((now - last) / 1ms));
        last = now;
        if (is_well(now))
            breaker.succeeded(*leave, now);
        else
            breaker.failed(*leave, now);
    }
    return hour;
}

TEST(Breaker, ProbesWhatIsDownAtABoundedRateAndForEver) {
    Breaker breaker;
    const Hour hour = ask_for_an_hour(breaker, [](Time) { return false; });
    EXPECT_LE(hour.asked, 5 + 120) << "one probe every half minute";
    EXPECT_GE(hour.asked, 5 + 118);
    EXPECT_LE(hour.longest_gap, Breaker::open_time_first + 100ms);
}

TEST(Breaker, NeitherHammersNorStarvesWhatComesAndGoes) {
    for (const auto period : {1s, 3s, 10s, 45s, 100s}) {
        Breaker breaker;
        int failures = 0;
        const Hour hour = ask_for_an_hour(breaker, [&](Time now) {
            const bool well = (now.time_since_epoch() / period) % 2 == 0;
            failures += well ? 0 : 1;
            return well;
        });
        EXPECT_LE(hour.longest_gap, Breaker::open_time_max + 100ms) << period / 1s;
        // 18,000 of the 36,000 would fail without a breaker.
        EXPECT_LT(failures, 300) << period / 1s;
        EXPECT_GT(hour.asked, 20) << period / 1s;
    }
}

TEST(Breaker, LetsAlmostEverybodyThroughWhereOneInTenFails) {
    Breaker breaker;
    std::minstd_rand random(7);
    const Hour hour = ask_for_an_hour(breaker, [&](Time) { return random() % 10 != 0; });
    EXPECT_GT(hour.asked, 35'000);
}

}  // namespace
}  // namespace runnel::router
