#include "router/health.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace runnel::router {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using Need = Health::Need;
using Standing = Health::Standing;
using Time = Health::Time;

constexpr Time now{1h};

void succeed(Health& health, std::string_view line, std::chrono::milliseconds first_token,
             Time when = now) {
    const auto leave = health.admit(line, Need::choice, when);
    ASSERT_TRUE(leave);
    health.succeeded(line, *leave, first_token, when);
}

void open(Health& health, std::string_view line, Time when = now) {
    for (std::size_t i = 0; i < Breaker::failures_to_open; ++i) {
        const auto leave = health.admit(line, Need::choice, when);
        ASSERT_TRUE(leave);
        health.failed(line, *leave, when);
    }
    ASSERT_EQ(health.standing(line, when), Standing::open);
}

std::vector<std::string> names(const Health& health) {
    std::vector<std::string> names;
    for (const Health::Entry& entry : health.entries(now)) names.push_back(entry.name);
    return names;
}

TEST(Health, TakesAnUnknownLineForReady) {
    const Health health;
    EXPECT_EQ(health.standing("a/x", now), Standing::ready);
    EXPECT_EQ(health.ready_at("a/x", now), now);
    EXPECT_EQ(health.first_token("a/x"), 0us);
    EXPECT_THAT(names(health), ElementsAre());
}

TEST(Health, HasABreakerForEachLine) {
    Health health;
    open(health, "a/x");
    EXPECT_EQ(health.ready_at("a/x", now), now + 30s);
    EXPECT_FALSE(health.admit("a/x", Need::choice, now));
    EXPECT_EQ(health.standing("a/x#2", now), Standing::ready);
    EXPECT_EQ(health.standing("a/y", now), Standing::ready);
    EXPECT_EQ(health.standing("a/x", now + 30s), Standing::ready);
}

TEST(Health, IsOpenToOthersWhileALineIsProbed) {
    Health health;
    open(health, "a/x");
    const auto probe = health.admit("a/x", Need::choice, now + 30s);
    ASSERT_TRUE(probe);
    EXPECT_EQ(health.standing("a/x", now + 30s), Standing::open);
    EXPECT_FALSE(health.admit("a/x", Need::choice, now + 30s));
    health.said_nothing("a/x", *probe);
    EXPECT_EQ(health.standing("a/x", now + 30s), Standing::ready);
}

TEST(Health, RestsALineUntilTheLaterOfTwoTimes) {
    Health health;
    health.rest("a/x", now + 5s);
    health.rest("a/x", now + 2s);
    EXPECT_EQ(health.standing("a/x", now), Standing::resting);
    EXPECT_EQ(health.ready_at("a/x", now), now + 5s);
    EXPECT_EQ(health.standing("a/x", now + 5s), Standing::ready);
    EXPECT_TRUE(health.admit("a/x", Need::choice, now)) << "a rest is for choosing";
}

TEST(Health, OpensALineWhoseAnswersBreakOff) {
    Health health;
    for (int i = 0; i < 5; ++i) {
        const auto leave = health.admit("a/x", Need::choice, now);
        health.succeeded("a/x", *leave, 10ms, now);
        health.broke_off("a/x", *leave, now);
    }
    EXPECT_EQ(health.standing("a/x", now), Standing::open);
}

TEST(Health, AveragesTheTimeToTheFirstToken) {
    Health health;
    succeed(health, "a/x", 100ms);
    EXPECT_EQ(health.first_token("a/x"), 100ms);
    succeed(health, "a/x", 200ms);
    EXPECT_EQ(health.first_token("a/x"), 120ms);
    for (int i = 0; i < 100; ++i) succeed(health, "a/x", 50ms);
    EXPECT_NEAR(static_cast<double>(health.first_token("a/x").count()), 50'000, 10);
    for (int i = 0; i < 100; ++i) succeed(health, "b/y", 0ms);
    EXPECT_GT(health.first_token("b/y"), 0us) << "known, and very quick";
}

TEST(Health, TellsHowEachLineFares) {
    Health health;
    open(health, "b/y");
    succeed(health, "a/x", 20ms);
    health.rest("a/x#2", now + 1500ms);
    const auto entries = health.entries(now + 1s);
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].name, "a/x");
    EXPECT_EQ(entries[0].breaker, "closed");
    EXPECT_EQ(entries[0].ready_in, 0ms);
    EXPECT_EQ(entries[0].successes, 1u);
    EXPECT_EQ(entries[0].failures, 0u);
    EXPECT_EQ(entries[0].first_token, 20ms);
    EXPECT_EQ(entries[1].name, "a/x#2");
    EXPECT_EQ(entries[1].ready_in, 500ms);
    EXPECT_EQ(entries[2].name, "b/y");
    EXPECT_EQ(entries[2].breaker, "open");
    EXPECT_EQ(entries[2].ready_in, 29s);
    EXPECT_EQ(entries[2].failures, 5u);
    EXPECT_EQ(health.entries(now + 30s)[2].breaker, "half-open");
}

TEST(Health, KeepsNoLineOfWhichNothingIsKnown) {
    Health health;
    const auto one = health.admit("a/typo", Need::choice, now);
    const auto two = health.admit("a/typo", Need::choice, now);
    health.said_nothing("a/typo", *one);
    EXPECT_THAT(names(health), ElementsAre("a/typo"));
    health.said_nothing("a/typo", *two);
    EXPECT_THAT(names(health), ElementsAre());

    succeed(health, "a/x", 10ms);
    health.said_nothing("a/x", *health.admit("a/x", Need::choice, now));
    EXPECT_THAT(names(health), ElementsAre("a/x"));
}

TEST(Health, DropsTheIdleLineThatWasUsedLongestAgo) {
    Health health(3);
    const auto busy = health.admit("busy", Need::choice, now);
    succeed(health, "old", 1ms);
    succeed(health, "new", 1ms);
    succeed(health, "old", 1ms);
    succeed(health, "newest", 1ms);
    EXPECT_THAT(names(health), ElementsAre("busy", "newest", "old"));
    health.failed("busy", *busy, now);
    succeed(health, "a", 1ms);
    succeed(health, "b", 1ms);
    succeed(health, "c", 1ms);
    EXPECT_THAT(names(health), ElementsAre("a", "b", "c"));
}

TEST(Health, ServesWithoutMemoryWhenEveryLineIsBusy) {
    Health health(2);
    const auto one = health.admit("one", Need::choice, now);
    const auto two = health.admit("two", Need::choice, now);
    const auto three = health.admit("three", Need::choice, now);
    ASSERT_TRUE(three);
    health.rest("four", now + 1s);
    EXPECT_THAT(names(health), ElementsAre("one", "two"));
    health.failed("three", *three, now);
    health.broke_off("three", *three, now);
    health.succeeded("one", *one, 1ms, now);
    health.succeeded("two", *two, 1ms, now);
    EXPECT_THAT(names(health), ElementsAre("one", "two"));
}

TEST(Health, StaysWithinItsBoundWhateverClientsName) {
    Health health;
    for (int i = 0; i < 20'000; ++i) succeed(health, fmt::format("a/{}", i), 1ms);
    EXPECT_EQ(health.entries(now).size(), Health::targets_max_default);
    EXPECT_EQ(health.first_token("a/19999"), 1ms);
    EXPECT_EQ(health.first_token("a/0"), 0us);
}

TEST(Health, GivesBackEveryLeaveUnderManyThreads) {
    Health health(8);
    const auto work = [&health](unsigned seed) {
        for (unsigned i = 0; i < 5'000; ++i) {
            const unsigned dice = (i * 7 + seed) * 2654435761u >> 16;
            const std::string line = fmt::format("a/{}", dice % 12);
            const Time when = now + std::chrono::milliseconds(i);
            static_cast<void>(health.standing(line, when));
            const auto leave = health.admit(line, Need::last_resort, when);
            if (!leave) continue;
            switch (dice % 5) {
                case 0: health.failed(line, *leave, when); break;
                case 1: health.said_nothing(line, *leave); break;
                case 2: health.rest(line, when + 1ms); [[fallthrough]];
                default: health.succeeded(line, *leave, 1ms, when);
            }
            if (dice % 100 == 0) static_cast<void>(health.entries(when));
        }
    };
    {
        std::vector<std::jthread> threads;
        for (unsigned seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
    }
    // Every line is idle: eight new ones fit.
    for (int i = 0; i < 8; ++i) succeed(health, fmt::format("b/{}", i), 1ms);
    EXPECT_THAT(names(health), testing::Each(testing::StartsWith("b/")));
}

}  // namespace
}  // namespace runnel::router
