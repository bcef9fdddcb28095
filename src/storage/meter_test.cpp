#include "metering/meter.hpp"

#include "metering/local_meter.hpp"
#include "storage/redis/meter.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <random>

// What every meter promises, in memory and in Redis, on the machine's own clock.
namespace runnel::storage {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using access::Key;
using access::UtcTime;
using metering::Claim;
using metering::Hold;
using metering::Holder;
using metering::LedgerSums;
using metering::Meter;
using metering::Settlement;
using metering::Verdict;
using testing::RedisServer;
using Of = Hold::Of;
using Reached = Settlement::Reached;

constexpr metering::Price price{{1e-6, 1e-6}};  // a token is 1000 billionths

Verdict reserve(Meter& meter, const Claim& claim) {
    std::promise<Verdict> verdict;
    meter.reserve(claim, [&](Verdict answer) { verdict.set_value(std::move(answer)); });
    return verdict.get_future().get();
}

std::string_view ask(Meter& meter, const Claim& claim) {
    const Verdict verdict = reserve(meter, claim);
    return verdict.refusal ? name_of(verdict.refusal->kind) : "";
}

enum class Kind { local, redis };

class MeterTest : public ::testing::TestWithParam<Kind> {
protected:
    void SetUp() override {
        if (GetParam() == Kind::local) {
            meters.push_back(std::make_unique<metering::LocalMeter>(&sums));
            return;
        }
        if (!RedisServer::is_installed()) GTEST_SKIP() << "redis-server is not installed";
        server.start();
        add_machine();
    }
    // Another one that shares the limits; only Redis has that.
    Meter& add_machine() {
        auto machine = std::make_unique<RedisMeter>(
            server.address(), nullptr, &sums,
            RedisClient::Options{.connect_time = 10s, .command_time = 10s});
        EXPECT_TRUE(machine->client().wait_until_connected(10s));
        meters.push_back(std::move(machine));
        return *meters.back();
    }
    Meter& meter() { return *meters.front(); }

    Claim claim(const Key& key, std::int64_t tokens = 100, std::string_view model = "m") {
        return make_claim("claim" + std::to_string(++claims),
                          {&key, model, "192.0.2.7", 0, tokens, &price}, limits,
                          UtcTime(days(20'000)));
    }
    // What a counter has now: how much room there is under a limit.
    std::int64_t used(Claim probe, Of of) {
        const auto hold = std::ranges::find(probe.holds, of, &Hold::of);
        Hold wanted = *hold;
        std::int64_t low = 0, high = std::int64_t{1} << 40;
        while (low < high) {
            wanted.limit = (low + high) / 2;
            wanted.amount = 0;
            Claim one{"probe" + std::to_string(++claims), {wanted}};
            if (ask(meter(), one).empty()) {
                meter().settle(one.id, {});
                high = wanted.limit;
            } else {
                low = wanted.limit + 1;
            }
        }
        return low - 1;
    }

    std::atomic<int> claims = 0;
    metering::SharedLimits limits;
    std::atomic<std::int64_t> in_ledger = 0;
    LedgerSums sums{[this](const Holder&, UtcTime, metering::LedgerAnswer answer) {
        answer(Money{in_ledger});
    }};
    RedisServer server;
    std::vector<std::unique_ptr<Meter>> meters;
};

INSTANTIATE_TEST_SUITE_P(, MeterTest, ::testing::Values(Kind::local, Kind::redis),
                         [](const auto& info) {
                             return info.param == Kind::local ? "InMemory" : "InRedis";
                         });

TEST_P(MeterTest, CountsRequestsPerMinute) {
    Key key{"k1"};
    key.limits.rpm = 2;
    const Claim first = claim(key);
    const Verdict verdict = reserve(meter(), first);
    EXPECT_FALSE(verdict.refusal);
    EXPECT_EQ(verdict.rate->limit, 2);
    EXPECT_EQ(verdict.rate->remaining, 1);
    EXPECT_LE(verdict.rate->resets_in, 60s);
    EXPECT_GE(verdict.rate->resets_in, 30s);
    meter().settle(first.id, {Reached::provider, 10});
    EXPECT_EQ(ask(meter(), claim(key)), "");
    const Verdict third = reserve(meter(), claim(key));
    ASSERT_TRUE(third.refusal);
    EXPECT_EQ(third.refusal->kind, ErrorKind::rate_limit_exceeded);
    EXPECT_LE(third.refusal->retry_after, 60s);
    EXPECT_GE(third.refusal->retry_after, 30s);
    EXPECT_EQ(third.rate->remaining, 0);
}

TEST_P(MeterTest, RemembersHowItStoodWithoutAskingAnybody) {
    Key key{"k1"};
    key.limits.rpm = 3;
    EXPECT_EQ(meter().glance(claim(key))->remaining, 3);
    const Claim first = claim(key);
    EXPECT_EQ(reserve(meter(), first).rate->remaining, 2);
    const auto rate = meter().glance(claim(key));
    EXPECT_EQ(rate->limit, 3);
    EXPECT_EQ(rate->remaining, 2);
    EXPECT_LE(rate->resets_in, 60s);
    EXPECT_GE(rate->resets_in, 30s);
    EXPECT_EQ(meter().glance(claim(Key{"k2"})), std::nullopt);
}

TEST_P(MeterTest, BeginsANewMinuteWhenOneIsOver) {
    Key key{"k1"};
    key.limits = {.rpm = 1, .tpm = 1000};
    Claim first = claim(key), second = claim(key), third = claim(key);
    constexpr auto minute = 2s;  // enough for two questions on a busy machine
    for (Claim* one : {&first, &second, &third})
        for (Hold& hold : one->holds) hold.lasts = minute;
    EXPECT_EQ(ask(meter(), first), "");
    EXPECT_EQ(ask(meter(), second), "rate_limit_exceeded");
    std::this_thread::sleep_for(minute + 50ms);
    EXPECT_EQ(ask(meter(), third), "");
    // A minute that is over has nothing to correct.
    meter().settle(first.id, {Reached::provider, 5000});
    meter().settle(third.id, {Reached::provider, 70});
    EXPECT_EQ(used(claim(key), Of::tokens), 70);
}

TEST_P(MeterTest, GivesPlacesBack) {
    Key key{"k1"};
    key.limits.concurrency = 2;
    const Claim first = claim(key), second = claim(key);
    EXPECT_EQ(ask(meter(), first), "");
    EXPECT_EQ(ask(meter(), second), "");
    EXPECT_EQ(ask(meter(), claim(key)), "concurrency_limit_exceeded");
    meter().settle(first.id, {Reached::provider});
    EXPECT_EQ(ask(meter(), claim(key)), "");
}

TEST_P(MeterTest, TakesNothingWhereOneOfManyLimitsIsReached) {
    Key key{"k1"};
    key.team = "blue";
    key.limits = {.rpm = 100, .tpd = 100'000, .concurrency = 10};
    key.budget = access::Budget{Money::from_usd(1)};
    limits.team_budgets = {{"blue", {Money::from_usd(2)}}};
    limits.model_limits = {{"m", {.rpm = 1}}};
    limits.each_address.rpm = 100;
    EXPECT_EQ(ask(meter(), claim(key)), "");
    for (int i = 0; i < 50; ++i) EXPECT_EQ(ask(meter(), claim(key)), "rate_limit_exceeded");
    EXPECT_EQ(used(claim(key), Of::tokens), 100);
    EXPECT_EQ(used(claim(key), Of::nano_usd), 100'000);
    EXPECT_EQ(used(claim(key), Of::places), 1);
    EXPECT_EQ(used(claim(key), Of::requests), 1);
}

TEST_P(MeterTest, CountsNothingForWhatNoProviderSaw) {
    Key key{"k1"};
    key.limits = {.rpm = 100, .tpm = 100'000};
    key.budget = access::Budget{Money::from_usd(1)};
    const Claim one = claim(key);
    EXPECT_EQ(ask(meter(), one), "");
    meter().settle(one.id, {Reached::nobody, 700, Money{700}});
    EXPECT_EQ(used(claim(key), Of::tokens), 0);
    EXPECT_EQ(used(claim(key), Of::nano_usd), 0);
    EXPECT_EQ(used(claim(key), Of::requests), 0);
}

TEST_P(MeterTest, SettlesOnce) {
    Key key{"k1"};
    key.limits.tpd = 100'000;
    const Claim one = claim(key);
    EXPECT_EQ(ask(meter(), one), "");
    for (int i = 0; i < 5; ++i) meter().settle(one.id, {Reached::provider, 777});
    meter().settle("never heard of", {Reached::provider, 777});
    EXPECT_EQ(used(claim(key), Of::tokens), 777);
}

TEST_P(MeterTest, AllowsOneRequestToGoOverTheEndOfABudget) {
    Key key{"k1"};
    key.budget = access::Budget{Money{250'000}};
    std::vector<Claim> let_in;
    for (int i = 0; i < 50; ++i)
        if (const Claim one = claim(key); ask(meter(), one).empty()) let_in.push_back(one);
    ASSERT_EQ(let_in.size(), 2u);
    for (const Claim& one : let_in) meter().settle(one.id, {Reached::provider, 0, Money{100'000}});
    const Claim last = claim(key);
    EXPECT_EQ(ask(meter(), last), "");
    EXPECT_EQ(ask(meter(), claim(key)), "key_spend_limit_reached");
    meter().settle(last.id, {Reached::provider, 0, Money{100'000}});
    EXPECT_EQ(ask(meter(), claim(key)), "key_spend_limit_reached");
}

TEST_P(MeterTest, CountsWhatTheLedgerHas) {
    Key key{"k1"};
    key.budget = access::Budget{Money::from_usd(5), access::Budget::Period::month};
    in_ledger = Money::from_usd(4.9999).nano_usd;
    EXPECT_EQ(used(claim(key), Of::nano_usd), in_ledger);
    const Claim one = claim(key);
    EXPECT_EQ(ask(meter(), one), "");
    meter().settle(one.id, {Reached::provider, 0, Money{100'000}});
    EXPECT_EQ(ask(meter(), claim(key)), "key_spend_limit_reached");
}

TEST_P(MeterTest, TellsWhatIsSpentAndWhatIsReserved) {
    Key key{"k1"};
    key.budget = {Money{1'000'000}, access::Budget::Period::month};
    const Claim budgets = budgets_of(key, limits, UtcTime(days(20'000)));
    const auto look = [&](Meter& asked) {
        std::promise<std::pair<std::int64_t, std::int64_t>> told;
        asked.look(budgets, [&](Result<std::vector<metering::Standing>> standings) {
            told.set_value({standings->at(0).used, standings->at(0).reserved});
        });
        return told.get_future().get();
    };
    in_ledger = 5'000;
    EXPECT_EQ(look(meter()), std::pair(5'000L, 0L));
    const Claim first = claim(key, 100), second = claim(key, 50);
    EXPECT_EQ(ask(meter(), first), "");
    EXPECT_EQ(ask(meter(), second), "");
    EXPECT_EQ(look(meter()), std::pair(155'000L, 150'000L));
    meter().settle(first.id, {Reached::provider, 30, Money{30'000}});
    EXPECT_EQ(look(meter()), std::pair(85'000L, 50'000L));
    meter().settle(second.id, {});
    EXPECT_EQ(look(meter()), std::pair(35'000L, 0L));
    if (GetParam() == Kind::redis) EXPECT_EQ(look(add_machine()), std::pair(35'000L, 0L));
}

TEST_P(MeterTest, CountsLargeAmountsExactly) {
    Key key{"k1"};
    key.budget = access::Budget{Money::from_usd(5'000'000)};
    in_ledger = Money::from_usd(4'999'999).nano_usd + 123'456'789;
    const Claim one = claim(key, 100);
    EXPECT_EQ(ask(meter(), one), "");
    meter().settle(one.id, {Reached::provider, 0, Money{876'543'210}});
    EXPECT_EQ(ask(meter(), claim(key)), "");  // one billionth is left
    in_ledger = 0;
}

// Random requests from many threads: no limit is ever passed, and in the end the counters have what
// was used, no more and no less.
TEST_P(MeterTest, NeverPassesALimitAndEndsWithWhatWasUsed) {
    constexpr int threads = 6, requests = 150, most_at_once = 4;
    constexpr std::int64_t budget = 40'000'000;
    if (GetParam() == Kind::redis) {
        add_machine();
        add_machine();
    }
    std::vector<Key> keys(3);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i].id = "k" + std::to_string(i);
        keys[i].team = "blue";
        keys[i].limits = {.rpd = 200, .tpd = 1'000'000, .concurrency = most_at_once};
        keys[i].budget = access::Budget{Money{budget}};
    }
    limits.team_budgets = {{"blue", {Money{3 * budget / 2}}}};
    limits.model_limits = {{"m", {.rpd = 400}}};
    struct Totals {
        std::atomic<std::int64_t> requests = 0, tokens = 0, spent = 0, inside = 0, reserved = 0;
    };
    Totals by_key[3];
    std::atomic<int> refused = 0;
    {
        std::vector<std::jthread> running;
        for (int t = 0; t < threads; ++t)
            running.emplace_back([&, t] {
                std::mt19937 random(static_cast<unsigned>(t));
                const auto pick = [&](int most) {
                    return std::uniform_int_distribution<>(0, most)(random);
                };
                Meter& mine = *meters[static_cast<std::size_t>(t) % meters.size()];
                for (int i = 0; i < requests; ++i) {
                    const auto k = static_cast<std::size_t>(pick(2));
                    Totals& totals = by_key[k];
                    const std::int64_t reserved = 1 + pick(2000);
                    const Claim one = claim(keys[k], reserved);
                    if (!ask(mine, one).empty()) {
                        ++refused;
                        continue;
                    }
                    EXPECT_LE(++totals.inside, most_at_once);
                    if (pick(3) == 0) std::this_thread::yield();
                    --totals.inside;
                    if (pick(4) == 0) {
                        mine.settle(one.id, {});
                        continue;
                    }
                    const std::int64_t actual = pick(static_cast<int>(reserved));
                    // First what it used, then the place: others may only see too much.
                    ++totals.requests;
                    totals.tokens += actual;
                    totals.spent += actual * 1000;
                    mine.settle(one.id, {Reached::provider, actual, Money{actual * 1000}});
                }
            });
    }
    EXPECT_GT(refused, 0);
    constexpr std::int64_t one_reservation = 2001 * 1000;
    std::int64_t all_spent = 0, all_requests = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
        all_spent += by_key[k].spent;
        all_requests += by_key[k].requests;
        EXPECT_LE(by_key[k].requests, 200);
        EXPECT_LE(by_key[k].spent, budget + one_reservation);
        EXPECT_EQ(used(claim(keys[k]), Of::places), 0);
        EXPECT_EQ(used(claim(keys[k]), Of::requests), by_key[k].requests);
        EXPECT_EQ(used(claim(keys[k]), Of::tokens), by_key[k].tokens);
        EXPECT_EQ(used(claim(keys[k]), Of::nano_usd), by_key[k].spent);
    }
    EXPECT_LE(all_requests, 400);
    EXPECT_LE(all_spent, 3 * budget / 2 + one_reservation);
}

}  // namespace
}  // namespace runnel::storage
