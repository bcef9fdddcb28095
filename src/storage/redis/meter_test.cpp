#include "storage/redis/meter.hpp"

#include "metering/local_meter.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <random>

// What only a meter in Redis has to promise: several machines, and a Redis that goes and comes.
namespace runnel::storage {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using access::Key;
using access::UtcTime;
using metering::Claim;
using metering::Settlement;
using metering::Verdict;
using testing::RedisServer;
using Reached = Settlement::Reached;

constexpr metering::Price price{{1e-6, 1e-6}};

enum class Without { local_limits, refuse };

// One gateway process.
struct Machine {
    Machine(const RedisAddress& address, Without without, metering::AskLedger ledger,
            milliseconds command_time = 10s)
        : sums(std::move(ledger)),
          meter(address, without == Without::local_limits ? &local : nullptr, &sums,
                {.connect_time = command_time, .command_time = command_time}) {
        EXPECT_TRUE(meter.client().wait_until_connected(10s));
    }

    Verdict reserve(const Claim& claim) {
        std::promise<Verdict> verdict;
        meter.reserve(claim, [&](Verdict answer) { verdict.set_value(std::move(answer)); });
        return verdict.get_future().get();
    }
    std::string_view ask(const Claim& claim) {
        const Verdict verdict = reserve(claim);
        return verdict.refusal ? name_of(verdict.refusal->kind) : "";
    }
    std::string redis(std::vector<std::string> words) {
        std::promise<std::string> said;
        meter.client().command(std::move(words), [&](Result<RedisReply> reply) {
            if (reply && reply->kind == RedisReply::Kind::list) reply = reply->list.at(0);
            said.set_value(!reply                                    ? "failed"
                           : reply->kind == RedisReply::Kind::number ? std::to_string(reply->number)
                                                                     : reply->text);
        });
        return said.get_future().get();
    }

    metering::LedgerSums sums;
    metering::LocalMeter local{&sums};
    RedisMeter meter;
};

class RedisMeterTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!RedisServer::is_installed()) GTEST_SKIP() << "redis-server is not installed";
        key.budget = access::Budget{Money::from_usd(1)};
        key.limits.concurrency = 100'000;
    }

    Claim claim(std::int64_t tokens = 100) {
        return metering::make_claim("claim" + std::to_string(++claims),
                                    {&key, "m", "192.0.2.7", 0, tokens, &price}, {},
                                    UtcTime(days(20'000)));
    }
    metering::AskLedger ledger() {
        return [this](const metering::Holder&, UtcTime, metering::LedgerAnswer answer) {
            // What is settled is in it a moment before.
            if (away) return answer(fail(ErrorKind::store_unavailable, "away"));
            answer(metering::LedgerSum(Money{in_ledger}, steady_clock::now()));
        };
    }
    Settlement spend(std::int64_t nano_usd) {
        in_ledger += nano_usd;
        return {Reached::provider, 1, Money{nano_usd}};
    }
    static void wait_until(const std::function<bool()>& is_so) {
        for (int i = 0; i < 2000 && !is_so(); ++i) std::this_thread::sleep_for(5ms);
        EXPECT_TRUE(is_so());
    }
    static std::string spent(Machine& machine) {
        return machine.redis({"HGET", "runnel:{key:k1}:spent:total", "used"});
    }
    static std::string places(Machine& machine) {
        return machine.redis({"ZCARD", "runnel:{key:k1}:places:now"});
    }

    Key key{"k1"};
    std::atomic<int> claims = 0;
    std::atomic<std::int64_t> in_ledger = 0;
    std::atomic<bool> away = false;  // the ledger
};

TEST_F(RedisMeterTest, ThreeMachinesSpendNoMoreThanOneBudget) {
    RedisServer server;
    server.start();
    Machine machines[]{{server.address(), Without::refuse, ledger()},
                       {server.address(), Without::refuse, ledger()},
                       {server.address(), Without::refuse, ledger()}};
    constexpr std::int64_t each = 10'500'000;  // 95 of them fit into a dollar
    std::vector<Claim> wanted;
    for (int i = 0; i < 1000; ++i) wanted.push_back(claim(each / 1000));
    std::atomic<std::size_t> let_in = 0, answered = 0;
    std::mutex mutex;
    std::vector<std::pair<std::size_t, std::string>> inside;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        machines[i % 3].meter.reserve(wanted[i], [&, i](const Verdict& verdict) {
            if (!verdict.refusal) {
                ++let_in;
                const std::scoped_lock lock(mutex);
                inside.emplace_back(i % 3, wanted[i].id);
            }
            ++answered;
        });
    wait_until([&] { return answered == wanted.size(); });
    EXPECT_EQ(let_in, 95u);
    for (const auto& [machine, id] : inside) machines[machine].meter.settle(id, spend(each));
    EXPECT_LE(in_ledger, Money::from_usd(1).nano_usd);
    wait_until([&] { return spent(machines[0]) == std::to_string(in_ledger); });
    // One request may use what is left; then there is nothing.
    const Claim last = claim(each / 1000);
    EXPECT_EQ(machines[1].ask(last), "");
    machines[1].meter.settle(last.id, spend(each));
    for (Machine& machine : machines) {
        wait_until([&] { return machine.ask(claim()) == "key_spend_limit_reached"; });
        EXPECT_LE(in_ledger, Money::from_usd(1).nano_usd + each);
    }
}

TEST_F(RedisMeterTest, AMachineThatIsGoneKeepsItsMoneyAndNothingElse) {
    RedisServer server;
    server.start();
    key.limits.concurrency = 1;
    Machine witness(server.address(), Without::refuse, ledger());
    const Claim lost = claim(600'000);
    {
        Machine gone(server.address(), Without::refuse, ledger());
        EXPECT_EQ(gone.ask(lost), "");
    }
    EXPECT_EQ(witness.ask(claim()), "concurrency_limit_exceeded");
    EXPECT_EQ(witness.ask(claim(600'000)), "key_spend_limit_reached");
    // Five minutes later.
    const std::string place_key = "runnel:{key:k1}:places:now";
    const std::string id = witness.redis({"ZRANGE", place_key, "0", "0"});
    for (const std::string& set : {place_key, std::string("runnel:{key:k1}:spent:total:spenders")})
        EXPECT_EQ(witness.redis({"ZADD", set, "XX", "CH", "1", id}), "1");
    EXPECT_EQ(spent(witness), "600000000");
    const Claim alone = claim(600'000);
    EXPECT_EQ(witness.ask(alone), "");
    witness.meter.settle(alone.id, spend(1000));
    EXPECT_EQ(spent(witness), "600001000");
    // Its record goes after a day.
    const auto left = std::stoll(witness.redis({"PTTL", "runnel:{key:k1}:claim:" + id}));
    EXPECT_GT(left, duration_cast<milliseconds>(23h).count());
    EXPECT_LE(left, duration_cast<milliseconds>(24h).count());
}

TEST_F(RedisMeterTest, RequestsThatLiveKeepTheirPlaces) {
    RedisServer server;
    server.start();
    Machine machine(server.address(), Without::refuse, ledger());
    const Claim one = claim();
    EXPECT_EQ(machine.ask(one), "");
    const std::string place_key = "runnel:{key:k1}:places:now";
    EXPECT_EQ(machine.redis({"DEL", place_key}), "1");
    // A new connection is one of the times at which places are renewed.
    EXPECT_EQ(machine.redis({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no"}), "1");
    wait_until([&] { return places(machine) == "1"; });
    machine.meter.settle(one.id, spend(5));
    wait_until([&] { return places(machine) == "0"; });
}

TEST_F(RedisMeterTest, WithoutRedisLocalLimitsHoldOrNobodyIsLetIn) {
    RedisServer server;
    server.start();
    Machine open(server.address(), Without::local_limits, ledger());
    Machine closed(server.address(), Without::refuse, ledger());
    key.limits.rpm = 2;
    server.kill();
    const Verdict refused = closed.reserve(claim());
    ASSERT_TRUE(refused.refusal);
    EXPECT_EQ(refused.refusal->kind, ErrorKind::store_unavailable);
    EXPECT_TRUE(refused.refusal->retry_after);
    EXPECT_EQ(closed.meter.figures().without_redis, 1u);

    const Claim first = claim();
    EXPECT_EQ(open.ask(first), "");
    EXPECT_EQ(open.ask(claim()), "");
    EXPECT_EQ(open.ask(claim()), "rate_limit_exceeded");
    open.meter.settle(first.id, {});
    EXPECT_EQ(open.ask(claim()), "");
    EXPECT_EQ(open.meter.figures().without_redis, 4u);
    EXPECT_FALSE(open.meter.figures().connected);
}

TEST_F(RedisMeterTest, WithoutRedisABudgetGoesOnWhereItWas) {
    RedisServer server;
    server.start();
    key.budget = access::Budget{Money{1'000'000}};
    Machine machines[]{{server.address(), Without::local_limits, ledger()},
                       {server.address(), Without::local_limits, ledger()}};
    // One machine spends most of it, and has something under way; the other has seen the key too.
    const Claim spends = claim(100), under_way = claim(100), seen = claim(100);
    EXPECT_EQ(machines[1].ask(seen), "");
    machines[1].meter.settle(seen.id, spend(0));
    EXPECT_EQ(machines[0].ask(spends), "");
    EXPECT_EQ(machines[0].ask(under_way), "");
    machines[0].meter.settle(spends.id, spend(850'000));
    server.kill();
    std::this_thread::sleep_for(20ms);  // the journal is written after a settlement
    // 850 and 100 of 1,000: there is room for 50 here, and for 150 there.
    EXPECT_EQ(machines[0].ask(claim(51)), "key_spend_limit_reached");
    EXPECT_EQ(machines[0].ask(claim(50)), "");
    EXPECT_EQ(machines[1].ask(claim(150)), "");
    EXPECT_EQ(machines[1].ask(claim(1)), "key_spend_limit_reached");
}

TEST_F(RedisMeterTest, WhatTheLedgerDoesNotHaveYetIsKnownFromRedis) {
    RedisServer server;
    server.start();
    key.budget = access::Budget{Money{1'000'000}};
    Machine machines[]{{server.address(), Without::local_limits, ledger()},
                       {server.address(), Without::local_limits, ledger()}};
    const Claim theirs = claim(100), own = claim(100);
    EXPECT_EQ(machines[0].ask(theirs), "");
    machines[0].meter.settle(theirs.id, {Reached::provider, 1, Money{900'000}});
    wait_until([&] { return spent(machines[0]) == "900000"; });
    EXPECT_EQ(machines[1].ask(own), "");
    machines[1].meter.settle(own.id, {Reached::provider, 1, Money{50'000}});
    wait_until([&] { return spent(machines[1]) == "950000"; });
    server.kill();
    EXPECT_EQ(machines[1].ask(claim(50)), "");
    EXPECT_EQ(machines[1].ask(claim(1)), "key_spend_limit_reached");
}

TEST_F(RedisMeterTest, ARedisThatForgotWhatTheLedgerDoesNotHaveYetIsTold) {
    RedisServer server;
    server.start();
    Machine machine(server.address(), Without::refuse, ledger());
    const Claim early = claim(1000), late = claim(1000);
    EXPECT_EQ(machine.ask(early), "");
    machine.meter.settle(early.id, {Reached::provider, 1, Money{999'000'000}});
    wait_until([&] { return spent(machine) == "999000000"; });
    EXPECT_EQ(machine.ask(late), "");
    EXPECT_EQ(machine.redis({"FLUSHALL"}), "OK");
    EXPECT_EQ(machine.ask(claim(100)), "");
    EXPECT_EQ(spent(machine), std::to_string(999'000'000 + 100'000));
}

TEST_F(RedisMeterTest, WithoutRedisAndLedgerNobodyIsLetInWhoHasABudget) {
    RedisServer server;
    server.start();
    Machine machine(server.address(), Without::local_limits, ledger());
    EXPECT_EQ(machine.ask(claim(100)), "");
    server.kill();
    away = true;
    const Verdict refused = machine.reserve(claim(100));
    ASSERT_TRUE(refused.refusal);
    EXPECT_EQ(refused.refusal->kind, ErrorKind::store_unavailable);
    EXPECT_TRUE(refused.refusal->retry_after);
    away = false;
    EXPECT_EQ(machine.ask(claim(100)), "");
    // Once it is known, it stays known.
    away = true;
    EXPECT_EQ(machine.ask(claim(100)), "");
}

TEST_F(RedisMeterTest, WhatEndsWhileRedisIsAwayIsSettledWhenItIsBack) {
    RedisServer server(RedisServer::Keeps::everything);
    server.start();
    Machine machine(server.address(), Without::local_limits, ledger());
    std::vector<Claim> under_way;
    for (int i = 0; i < 20; ++i) {
        under_way.push_back(claim(1000));
        EXPECT_EQ(machine.ask(under_way.back()), "");
    }
    server.kill();
    for (const Claim& one : under_way) {
        machine.meter.settle(one.id, spend(300));
        machine.meter.settle(one.id, spend(0));
    }
    wait_until([&] { return machine.meter.figures().settles_waiting == 20; });
    server.start();
    wait_until([&] { return spent(machine) == "6000"; });
    EXPECT_EQ(places(machine), "0");
    EXPECT_EQ(machine.meter.figures().settles_waiting, 0u);
    EXPECT_EQ(machine.meter.figures().settles_lost, 0u);
}

TEST_F(RedisMeterTest, ARedisThatForgotIsToldByTheLedger) {
    RedisServer server;
    server.start();
    Machine machine(server.address(), Without::refuse, ledger());
    const Claim early = claim(1000), late = claim(1000);
    EXPECT_EQ(machine.ask(early), "");
    EXPECT_EQ(machine.ask(late), "");
    machine.meter.settle(early.id, spend(999'000'000));
    wait_until([&] { return spent(machine) == std::to_string(999'000'000 + 1'000'000); });
    server.kill();
    server.start();
    EXPECT_EQ(machine.ask(claim(100)), "");
    EXPECT_EQ(spent(machine), std::to_string(999'000'000 + 100'000));
    // What was under way is added when it ends, once.
    machine.meter.settle(late.id, spend(900'000));
    machine.meter.settle(late.id, spend(0));
    wait_until([&] { return spent(machine) == std::to_string(999'900'000 + 100'000); });
    EXPECT_EQ(machine.ask(claim(100)), "key_spend_limit_reached");
}

TEST_F(RedisMeterTest, ASilentRedisHoldsNobodyUpAndNothingBack) {
    RedisServer server;
    server.start();
    Machine machine(server.address(), Without::local_limits, ledger(), 1s);
    EXPECT_EQ(machine.ask(claim()), "");
    server.freeze();
    const auto before = steady_clock::now();
    const Claim late = claim(1000);
    EXPECT_EQ(machine.ask(late), "");
    EXPECT_LT(steady_clock::now() - before, 5s);
    EXPECT_EQ(machine.meter.figures().without_redis, 1u);
    server.thaw();
    // Redis gets to see the claim yet, and that it is over.
    wait_until([&] { return machine.meter.figures().settles_waiting == 0; });
    wait_until([&] { return spent(machine) == "100000" && places(machine) == "1"; });
    machine.meter.settle(late.id, spend(1));
    wait_until([&] { return spent(machine) == "100000"; });
}

TEST_F(RedisMeterTest, AllKeysOfAScriptAreInOneSlotOfACluster) {
    RedisServer server(RedisServer::Keeps::nothing,
                       {"--cluster-enabled", "yes", "--cluster-port",
                        std::to_string(testing::free_loopback_port())});
    server.start();
    Machine machine(server.address(), Without::refuse, ledger());
    EXPECT_EQ(machine.redis({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"}), "OK");
    wait_until([&] { return machine.redis({"SET", "x", "1"}) == "OK"; });
    key.team = "blue";
    key.limits = {.rpm = 10, .rpd = 10, .tpm = 10'000, .tpd = 10'000, .concurrency = 10};
    key.model_limits = {{"m", {.rpm = 10}}};
    metering::SharedLimits limits;
    limits.team_budgets = {{"blue", {Money::from_usd(1)}}};
    limits.model_budgets = {{"m", {Money::from_usd(1)}}};
    limits.each_address.rpm = 10;
    const Claim all = metering::make_claim("c1", {&key, "m", "192.0.2.7", 0, 100, &price}, limits,
                                           UtcTime(days(20'000)));
    wait_until([&] { return machine.meter.client().connected(); });
    EXPECT_EQ(machine.ask(all), "");
    machine.meter.settle("c1", spend(500));
    wait_until([&] { return spent(machine) == "500"; });
    EXPECT_EQ(machine.meter.figures().settles_waiting, 0u);
}

// Redis is killed again and again while three machines work: nobody waits for it, and with what it
// keeps on disk every claim is settled exactly once.
class RestartTest : public RedisMeterTest,
                    public ::testing::WithParamInterface<RedisServer::Keeps> {};

INSTANTIATE_TEST_SUITE_P(, RestartTest,
                         ::testing::Values(RedisServer::Keeps::everything,
                                           RedisServer::Keeps::nothing),
                         [](const auto& info) {
                             return info.param == RedisServer::Keeps::everything ? "OnDisk"
                                                                                 : "InMemory";
                         });

TEST_P(RestartTest, RequestsGoOnWhileRedisIsKilledAndStarted) {
    RedisServer server(GetParam());
    server.start();
    key.budget = access::Budget{Money::from_usd(1000)};
    Machine machines[]{{server.address(), Without::local_limits, ledger()},
                       {server.address(), Without::local_limits, ledger()},
                       {server.address(), Without::local_limits, ledger()}};
    std::atomic<bool> done = false;
    std::atomic<int> finished = 0, refused = 0;
    {
        std::vector<std::jthread> running;
        for (Machine& machine : machines)
            running.emplace_back([&] {
                std::mt19937 random(7);
                while (!done) {
                    const Claim one = claim(1000);
                    if (!machine.ask(one).empty()) {
                        ++refused;
                        continue;
                    }
                    machine.meter.settle(one.id, spend(static_cast<int>(random() % 1000)));
                    ++finished;
                }
            });
        for (int i = 0; i < 4; ++i) {
            const int before = finished;
            std::this_thread::sleep_for(100ms);
            server.kill();
            wait_until([&] { return finished > before + 100; });
            server.start();
        }
        done = true;
    }
    EXPECT_EQ(refused, 0);
    for (Machine& machine : machines) {
        ASSERT_TRUE(machine.meter.client().wait_until_connected(10s));
        wait_until([&] { return machine.meter.figures().settles_waiting == 0; });
    }
    wait_until([&] { return places(machines[0]) == "0"; });
    // The ledger has all of it; a new claim raises the counter to that.
    machines[0].sums.doubt(metering::LedgerSums::OldOnes::will_do);
    const Claim last = claim(0);
    EXPECT_EQ(machines[0].ask(last), "");
    machines[0].meter.settle(last.id, {});
    if (GetParam() == RedisServer::Keeps::everything)
        EXPECT_EQ(spent(machines[0]), std::to_string(in_ledger));
    else
        EXPECT_GE(std::stoll(spent(machines[0])), in_ledger);
}

}  // namespace
}  // namespace runnel::storage
