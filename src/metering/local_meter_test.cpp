#include "metering/local_meter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::metering {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using Reached = Settlement::Reached;

constexpr access::UtcTime evening = sys_days(2026y / November / 15) + 23h;
constexpr Price price{{1e-6, 1e-6}};  // a token is 1000 billionths

// One meter, and two clocks: the machine's own, and the wall's, which may jump.
class LocalMeterTest : public ::testing::Test {
protected:
    void pass(milliseconds time) {
        steady += time;
        wall += time;
    }

    Claim claim(const access::Key& key, std::string model = "m", std::int64_t output_tokens = 100) {
        return make_claim("c" + std::to_string(++claims),
                          {&key, model, "192.0.2.7", 0, output_tokens, &price}, limits, wall);
    }
    Verdict reserve(const Claim& wanted) {
        std::optional<Verdict> verdict;
        meter.reserve(wanted, [&](Verdict answer) { verdict = std::move(answer); });
        return verdict.value_or(Verdict{Error{ErrorKind::internal_error, "no answer yet"}});
    }
    // Asks, and says what the refusal is; empty: it was let in.
    std::string_view ask(const Claim& wanted) {
        const Verdict verdict = reserve(wanted);
        return verdict.refusal ? name_of(verdict.refusal->kind) : "";
    }
    // A request from its start to its end.
    std::string_view run(const access::Key& key, Settlement settlement, std::string model = "m") {
        const Claim wanted = claim(key, std::move(model));
        const auto refusal = ask(wanted);
        if (refusal.empty()) meter.settle(wanted.id, settlement);
        return refusal;
    }
    static Settlement answered(std::int64_t tokens = 10, Money cost = {}) {
        return {Reached::provider, tokens, cost};
    }

    LocalMeter::Clock::time_point steady{};
    access::UtcTime wall = evening;
    int claims = 0;
    SharedLimits limits;
    AskLedger ask_ledger;  // none
    LedgerSums sums{[this](const Holder& holder, access::UtcTime since, LedgerAnswer answer) {
                        if (ask_ledger)
                            ask_ledger(holder, since, std::move(answer));
                        else
                            answer(Money{});
                    },
                    [this] { return steady; }};
    LocalMeter meter{&sums, [this] { return steady; }};
};

TEST_F(LocalMeterTest, CountsRequestsForAMinuteFromTheFirst) {
    access::Key key{"k1"};
    key.limits.rpm = 2;
    const Claim first = claim(key);
    EXPECT_EQ(reserve(first).rate, (RateState{2, 1, 60s}));
    meter.settle(first.id, answered());
    pass(20s);
    EXPECT_EQ(run(key, answered()), "");
    pass(10s);
    const Verdict third = reserve(claim(key));
    ASSERT_TRUE(third.refusal);
    EXPECT_EQ(third.refusal->kind, ErrorKind::rate_limit_exceeded);
    EXPECT_EQ(third.refusal->message,
              "The limit of 2 requests per minute for this key is reached. Try again in 30 s.");
    EXPECT_EQ(third.refusal->retry_after, 30s);
    EXPECT_EQ(third.rate, (RateState{2, 0, 30s}));
    pass(29'999ms);
    EXPECT_EQ(run(key, answered()), "rate_limit_exceeded");
    pass(1ms);
    EXPECT_EQ(run(key, answered()), "");
    EXPECT_EQ(run(key, answered()), "");
    EXPECT_EQ(run(key, answered()), "rate_limit_exceeded");
}

TEST_F(LocalMeterTest, IsGlancedAtWithoutCounting) {
    access::Key key{"k1"};
    EXPECT_EQ(meter.glance(claim(key)), std::nullopt);
    key.limits.tpm = 5;
    EXPECT_EQ(meter.glance(claim(key)), std::nullopt);
    key.limits.rpm = 2;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(meter.glance(claim(key)), (RateState{2, 2, 60s}));
    EXPECT_EQ(meter.counter_count(), 0u);
    EXPECT_EQ(run(key, answered(1)), "");
    pass(20s);
    EXPECT_EQ(meter.glance(claim(key)), (RateState{2, 1, 40s}));
    pass(40s);
    EXPECT_EQ(meter.glance(claim(key)), (RateState{2, 2, 60s}));
}

TEST_F(LocalMeterTest, NamesTheEndpointThatIsLimited) {
    limits.endpoint_limits = {{"/v1/models", {.rpm = 1}}};
    const ClaimFacts facts{.client_address = "192.0.2.7", .endpoint = "/v1/models"};
    EXPECT_EQ(ask(endpoint_claim("v1", facts, limits, wall)), "");
    EXPECT_EQ(reserve(endpoint_claim("v2", facts, limits, wall)).refusal->message,
              "The limit of 1 requests per minute for this address at /v1/models is reached. Try "
              "again in 60 s.");
}

TEST_F(LocalMeterTest, CountsDaysFromMidnight) {
    access::Key key{"k1"};
    key.limits.rpd = 1;
    key.limits.tpd = 1000;
    EXPECT_EQ(run(key, answered()), "");
    EXPECT_EQ(run(key, answered()), "rate_limit_exceeded");
    pass(59min + 59s);
    const Verdict refused = reserve(claim(key));
    EXPECT_EQ(refused.refusal->retry_after, 1s);
    EXPECT_EQ(refused.rate, (RateState{1, 0, 1s}));
    pass(1s);
    EXPECT_EQ(run(key, answered()), "");
}

TEST_F(LocalMeterTest, CountsNothingForWhatNoProviderSaw) {
    access::Key key{"k1"};
    key.limits.rpm = 1;
    key.limits.tpm = 1000;
    key.budget = access::Budget{Money{200'000}};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(run(key, {Reached::nobody, 500, Money{900'000}}), "");
    EXPECT_EQ(run(key, answered(10, Money{1})), "");
    // Nor for what it refuses itself.
    for (int i = 0; i < 5; ++i) EXPECT_EQ(run(key, answered()), "rate_limit_exceeded");
    EXPECT_EQ(meter.open_count(), 0u);
    pass(60s);
    EXPECT_EQ(run(key, answered()), "");
}

TEST_F(LocalMeterTest, CountsTokensInAndOut) {
    access::Key key{"k1"};
    key.limits.tpm = 1000;
    EXPECT_EQ(run(key, answered(999)), "");
    EXPECT_EQ(run(key, answered(500)), "");  // one token was left
    EXPECT_EQ(run(key, answered()), "rate_limit_exceeded");
    pass(60s);
    // What is under way counts with what it may become.
    const Claim large = claim(key, "m", 1000);
    EXPECT_EQ(ask(large), "");
    EXPECT_EQ(run(key, answered()), "rate_limit_exceeded");
    meter.settle(large.id, answered(10));
    EXPECT_EQ(run(key, answered()), "");
}

TEST_F(LocalMeterTest, KeepsModelsAndKeysApart) {
    access::Key key{"k1"};
    key.model_limits = {{"slow", {.rpm = 1}}};
    access::Key other{"k2"};
    other.limits.rpm = 1;
    EXPECT_EQ(run(key, answered(), "slow"), "");
    const Verdict refused = reserve(claim(key, "slow"));
    ASSERT_TRUE(refused.refusal);
    EXPECT_EQ(refused.refusal->message, "The limit of 1 requests per minute for this key and the "
                                        "model 'slow' is reached. Try again in 60 s.");
    EXPECT_EQ(run(key, answered(), "fast"), "");
    EXPECT_EQ(run(other, answered(), "slow"), "");
}

TEST_F(LocalMeterTest, LimitsModelsAndAddressesForAllKeysTogether) {
    limits.model_limits = {{"m", {.rpm = 2}}};
    const access::Key one{"k1"}, two{"k2"}, three{"k3"};
    EXPECT_EQ(run(one, answered()), "");
    EXPECT_EQ(run(two, answered()), "");
    EXPECT_EQ(run(three, answered()), "rate_limit_exceeded");
    EXPECT_EQ(run(three, answered(), "other"), "");
    limits = {};
    limits.each_address.rpm = 1;
    EXPECT_EQ(run(one, answered()), "");
    EXPECT_EQ(run(two, answered()), "rate_limit_exceeded");
}

TEST_F(LocalMeterTest, TakesNothingWhereOneOfManyLimitsIsReached) {
    access::Key key{"k1"};
    key.limits = {.rpm = 100, .tpm = 10'000, .concurrency = 10};
    key.model_limits = {{"slow", {.rpm = 1}}};
    key.budget = access::Budget{Money::from_usd(1)};
    EXPECT_EQ(run(key, answered(), "slow"), "");
    for (int i = 0; i < 200; ++i) EXPECT_EQ(run(key, answered(), "slow"), "rate_limit_exceeded");
    EXPECT_EQ(reserve(claim(key)).rate->remaining, 98);
}

TEST_F(LocalMeterTest, LetsSoManyInAtATime) {
    access::Key key{"k1"};
    key.limits.concurrency = 2;
    const Claim first = claim(key), second = claim(key);
    EXPECT_EQ(ask(first), "");
    EXPECT_EQ(ask(second), "");
    const Verdict third = reserve(claim(key));
    ASSERT_TRUE(third.refusal);
    EXPECT_EQ(third.refusal->kind, ErrorKind::concurrency_limit_exceeded);
    EXPECT_EQ(third.refusal->retry_after, 1s);
    EXPECT_FALSE(third.rate);
    meter.settle(first.id, {});
    EXPECT_EQ(ask(claim(key)), "");
    EXPECT_EQ(ask(claim(key)), "concurrency_limit_exceeded");
}

TEST_F(LocalMeterTest, SettlesAClaimOnce) {
    access::Key key{"k1"};
    key.limits = {.tpm = 1000, .concurrency = 2};
    const Claim first = claim(key), second = claim(key);
    ask(first);
    ask(second);
    for (int i = 0; i < 3; ++i) meter.settle(first.id, answered(990));
    meter.settle("never heard of", answered(5000));
    EXPECT_EQ(ask(claim(key)), "rate_limit_exceeded");
    meter.settle(second.id, answered(0));
    EXPECT_EQ(ask(claim(key)), "");
}

TEST_F(LocalMeterTest, RefusesWhatABudgetHasNothingLeftFor) {
    access::Key key{"k1"};
    key.budget = access::Budget{Money::from_usd(0.01), access::Budget::Period::day};
    EXPECT_EQ(run(key, answered(10, Money::from_usd(0.011))), "");
    const Verdict refused = reserve(claim(key));
    ASSERT_TRUE(refused.refusal);
    EXPECT_EQ(refused.refusal->kind, ErrorKind::key_spend_limit_reached);
    EXPECT_EQ(refused.refusal->message, "The budget of $0.01 per day for this key is used up.");
    EXPECT_FALSE(refused.refusal->retry_after);
    pass(1h);
    EXPECT_EQ(run(key, answered()), "");
}

TEST_F(LocalMeterTest, RefusesEverythingOnAnEmptyBudget) {
    access::Key key{"k1"};
    key.budget = access::Budget{Money{}};
    EXPECT_EQ(run(key, answered()), "key_spend_limit_reached");
}

TEST_F(LocalMeterTest, SaysWhoseBudgetIsUsedUp) {
    access::Key key{"k1"};
    key.team = "blue";
    limits.team_budgets = {{"blue", {Money{1000}}}};
    EXPECT_EQ(run(key, answered(1, Money{1000})), "");
    EXPECT_EQ(run(key, answered()), "insufficient_balance");
    access::Key alone{"k2"};
    limits.model_budgets = {{"m", {Money{1000}}}};
    EXPECT_EQ(run(alone, answered(1, Money{1000})), "");
    EXPECT_EQ(run(alone, answered()), "insufficient_balance");
    EXPECT_EQ(run(alone, answered(), "other"), "");
}

TEST_F(LocalMeterTest, ReservesSoThatParallelRequestsCannotOverdraw) {
    access::Key key{"k1"};
    key.budget = access::Budget{Money{250'000}};  // for two and a half of 100'000 each
    std::vector<Claim> let_in;
    for (int i = 0; i < 50; ++i)
        if (const Claim wanted = claim(key); ask(wanted).empty()) let_in.push_back(wanted);
    ASSERT_EQ(let_in.size(), 2u);
    EXPECT_EQ(reserve(claim(key)).refusal->message,
              "The budget of $0.00025 for this key has no room for this request: what is left is "
              "reserved for others that are under way.");
    // Alone, a request may use what is left, and is the last.
    for (const Claim& claim : let_in) meter.settle(claim.id, answered(100, Money{100'000}));
    EXPECT_EQ(run(key, answered(100, Money{100'000})), "");
    EXPECT_EQ(run(key, answered()), "key_spend_limit_reached");
}

TEST_F(LocalMeterTest, BeginsWithWhatTheLedgerSays) {
    access::Key key{"k1"};
    key.budget = access::Budget{Money{1000}, access::Budget::Period::month};
    ask_ledger = [](const Holder& holder, access::UtcTime since, LedgerAnswer answer) {
        EXPECT_EQ(holder, (Holder{Holder::Kind::key, "k1"}));
        EXPECT_EQ(since, sys_days(2026y / November / 1));
        answer(Money{990});
    };
    EXPECT_EQ(run(key, answered(1, Money{10})), "");
    EXPECT_EQ(run(key, answered()), "key_spend_limit_reached");
}

// Each dollar is counted once, whether the ledger has it already or not.
TEST_F(LocalMeterTest, CountsWhatOthersSpendBesideWhatIsItsOwn) {
    access::Key key{"k1"};
    key.budget = access::Budget{Money{1'000'000}};
    std::int64_t others = 0, own = 0;
    auto stored_until = steady;
    ask_ledger = [&](const Holder&, access::UtcTime, LedgerAnswer answer) {
        answer(LedgerSum(Money{others + own}, stored_until));
    };
    pass(1s);
    stored_until = steady;
    EXPECT_EQ(run(key, answered(1, Money{300'000})), "");  // not in the ledger yet
    others = 300'000;
    pass(61s);
    EXPECT_EQ(run(key, answered(1, Money{})), "");  // has it asked
    const Claim open = claim(key, "m", 300);
    EXPECT_EQ(ask(open), "");
    EXPECT_EQ(ask(claim(key, "m", 101)), "key_spend_limit_reached");
    // Now it has the first; what is left is the same.
    own = 300'000;
    stored_until = steady;
    pass(61s);
    EXPECT_EQ(ask(claim(key, "m", 101)), "key_spend_limit_reached");
    EXPECT_EQ(ask(claim(key, "m", 101)), "key_spend_limit_reached");
    EXPECT_EQ(ask(claim(key, "m", 100)), "");
}

TEST_F(LocalMeterTest, CountsWhatOthersHaveReserved) {
    Reserved by_others{Money{600'000}, 2};
    LocalMeter beside{&sums, [this] { return steady; },
                      [&](const Hold&, LocalMeter::Clock::time_point) { return by_others; }};
    access::Key key{"k1"};
    key.budget = access::Budget{Money{1'000'000}};
    const auto asks = [&](std::int64_t tokens) {
        std::optional<Verdict> verdict;
        beside.reserve(claim(key, "m", tokens), [&](Verdict said) { verdict = std::move(said); });
        return !verdict->refusal;
    };
    EXPECT_FALSE(asks(401));
    EXPECT_TRUE(asks(400));
    EXPECT_FALSE(asks(1));
    by_others = {};
    EXPECT_TRUE(asks(600));
}

TEST_F(LocalMeterTest, RemembersWhatSomebodyElseLetIn) {
    access::Key key{"k1"};
    key.budget = access::Budget{Money{1'000'000}};
    key.limits.rpm = 1;
    const Claim elsewhere = claim(key, "m", 900);
    meter.note(elsewhere);
    EXPECT_EQ(ask(claim(key, "m", 101)), "key_spend_limit_reached");
    EXPECT_EQ(ask(claim(key, "m", 100)), "");
    meter.settle(elsewhere.id, answered(900, Money{900'000}));
    key.limits = {};
    EXPECT_EQ(ask(claim(key, "m", 1)), "key_spend_limit_reached");
}

TEST_F(LocalMeterTest, LetsNobodyInWhileABudgetsStateIsUnknown) {
    access::Key key{"k1"};
    key.budget = access::Budget{Money{1000}};
    ask_ledger = [](const Holder&, access::UtcTime, LedgerAnswer answer) {
        answer(fail(ErrorKind::store_unavailable, "away"));
    };
    EXPECT_EQ(run(key, answered()), "store_unavailable");
    EXPECT_EQ(run(access::Key{"k2"}, answered()), "");
}

// A wall clock that is set back or forward, by hand or by NTP, neither empties a counter nor fills
// it.
TEST_F(LocalMeterTest, MinutesDoNotCareForTheWallClock) {
    access::Key key{"k1"};
    key.limits.rpm = 1;
    EXPECT_EQ(run(key, answered()), "");
    for (const auto jump : {-3h, 3h, 7h, -7h, 24h * 400, -24h * 400}) {
        wall += jump;
        EXPECT_EQ(run(key, answered()), "rate_limit_exceeded");
    }
    wall -= 5h;
    pass(60s);
    EXPECT_EQ(run(key, answered()), "");
}

TEST_F(LocalMeterTest, DaysAreCountedUnderTheirOwnNames) {
    access::Key key{"k1"};
    key.limits.rpd = 2;
    EXPECT_EQ(run(key, answered()), "");
    wall += 2h;  // tomorrow, too early
    EXPECT_EQ(run(key, answered()), "");
    wall -= 2h;
    EXPECT_EQ(run(key, answered()), "");
    EXPECT_EQ(run(key, answered()), "rate_limit_exceeded");
    pass(1h);  // tomorrow: one was used already
    EXPECT_EQ(run(key, answered()), "");
    EXPECT_EQ(run(key, answered()), "rate_limit_exceeded");
}

TEST_F(LocalMeterTest, CorrectsThePeriodInWhichARequestBegan) {
    access::Key key{"k1"};
    key.limits.tpm = 1000;
    key.budget = access::Budget{Money{150'000}, access::Budget::Period::day};
    const Claim late = claim(key, "m", 100);
    EXPECT_EQ(ask(late), "");
    pass(1h);
    const Claim next = claim(key, "m", 100);
    EXPECT_EQ(ask(next), "");
    meter.settle(late.id, answered(5000, Money{900'000}));
    meter.settle(next.id, answered(100, Money{1000}));
    EXPECT_EQ(run(key, answered()), "");
}

TEST_F(LocalMeterTest, ForgetsWhatIsOver) {
    for (int i = 0; i < 100'000; ++i) {
        access::Key key{"k" + std::to_string(i)};
        key.limits.rpm = 5;
        EXPECT_EQ(run(key, answered()), "");
        pass(100ms);
    }
    EXPECT_LT(meter.counter_count(), 5000u);
}

TEST_F(LocalMeterTest, ForgetsAClaimThatNobodySettlesAfterADay) {
    access::Key key{"k1"};
    key.limits.concurrency = 1;
    EXPECT_EQ(ask(claim(key)), "");
    EXPECT_EQ(ask(claim(key)), "concurrency_limit_exceeded");
    pass(25h);
    for (int i = 0; i < 5000; ++i) {
        access::Key other{"o" + std::to_string(i)};
        other.limits.rpd = 1;
        run(other, answered());
    }
    EXPECT_EQ(ask(claim(key)), "");
}

}  // namespace
}  // namespace runnel::metering
