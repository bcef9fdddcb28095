#include "router/attempt_plan.hpp"
#include "support/planned_requests.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <random>

namespace runnel::router {
namespace {

using namespace std::chrono_literals;
using enum ErrorKind;
using std::chrono::milliseconds;

// What holds for every sequence of failures.
class AttemptPlanPropertyTest : public PlannedRequests {};

TEST_F(AttemptPlanPropertyTest, ComesToItsEndWithinItsBoundsWhateverHappens) {
    std::minstd_rand random(42);
    const auto pick = [&](int from, int to) {
        return std::uniform_int_distribution(from, to)(random);
    };
    const std::vector kinds{upstream_failed,       upstream_overloaded, upstream_unreachable,
                            upstream_malformed,    upstream_truncated,  upstream_timeout,
                            upstream_rate_limited, upstream_quota,      upstream_auth,
                            upstream_permission,   model_not_found,     content_policy_violation};
    for (int round = 0; round < 5000; ++round) {
        std::vector<AttemptPlan::Target> targets;
        std::size_t bound = 0;
        for (int i = pick(1, 4); i > 0; --i) {
            targets.push_back({fmt::format("t{}", pick(0, 5)), static_cast<std::size_t>(pick(1, 3)),
                               static_cast<unsigned>(pick(0, 3))});
            bound += targets.back().keys;
        }
        AttemptPlan::Limits limits{.strategy = static_cast<Strategy>(pick(0, 2)),
                                   .retries = pick(0, 5),
                                   .window = std::chrono::seconds(pick(1, 60)),
                                   .timeout = std::chrono::seconds(pick(1, 60))};
        bound += static_cast<std::size_t>(limits.retries);
        const Time ends = now + *limits.timeout;

        AttemptPlan plan(targets, limits, &health, AttemptPlan::Random(random()), now);
        std::map<std::size_t, int> times;
        std::map<std::size_t, bool> silent;
        bool over = false;
        for (int steps = 0; const auto attempt = plan.next(now); ++steps) {
            ASSERT_LT(steps, 100);
            ASSERT_FALSE(over) << "asked after a failure that would happen everywhere";
            ASSERT_FALSE(silent[attempt->target]) << "asked a silent target again";
            ASSERT_LT(now + attempt->delay, ends);
            now += attempt->delay;
            if (!plan.begin(*attempt, now)) continue;
            ++times[attempt->target];
            now += milliseconds(pick(0, 3000));
            const ErrorKind kind =
                kinds[static_cast<std::size_t>(pick(0, static_cast<int>(kinds.size()) - 1))];
            over = kind == content_policy_violation;
            silent[attempt->target] = kind == upstream_timeout;
            std::optional<milliseconds> retry_after;
            if (pick(0, 3) == 0) retry_after = milliseconds(pick(1, 20'000));
            plan.failed(*attempt, error_of(kind, retry_after), now);
        }
        ASSERT_LE(static_cast<std::size_t>(plan.attempts()), bound);
        // With time left and no reason to stop, nobody was passed over; at worst they are asked as
        // a last resort, one probe at a time, and this is the only request.
        if (!over && now < ends) ASSERT_EQ(times.size(), targets.size());
        now += milliseconds(pick(0, 30'000));
    }
}

// A thousand requests, one every ten milliseconds, to an only target that answers after 300 ms, but
// fails after 5 ms from the first second to `well_again`.
class Crowd {
public:
    explicit Crowd(milliseconds well_again) : well_again_(well_again) {
        for (auto at = 0ms; at < 10s; at += 10ms) {
            const auto plan =
                std::make_shared<AttemptPlan>(std::vector{target("a")}, AttemptPlan::Limits{},
                                              &health_, AttemptPlan::Random(++seed_), time(at));
            events_.emplace(at, [this, plan] { go_on(plan); });
        }
        while (!events_.empty()) {
            now_ = events_.begin()->first;
            const auto event = std::move(events_.begin()->second);
            events_.erase(events_.begin());
            event();
        }
    }

    int served = 0;
    int asked = 0;

private:
    using Plan = std::shared_ptr<AttemptPlan>;

    static AttemptPlan::Clock::time_point time(milliseconds at) {
        return AttemptPlan::Clock::time_point(1h) + at;
    }

    void go_on(const Plan& plan) {
        const auto attempt = plan->next(time(now_));
        if (!attempt) return;
        events_.emplace(now_ + attempt->delay, [this, plan, attempt = *attempt] {
            if (plan->begin(attempt, time(now_)))
                ask(plan, attempt);
            else
                go_on(plan);
        });
    }

    void ask(const Plan& plan, const Attempt& attempt) {
        ++asked;
        if (now_ < 1s || now_ >= well_again_)
            events_.emplace(now_ + 300ms, [this, plan, attempt] {
                plan->succeeded(attempt, 300ms, time(now_));
                ++served;
            });
        else
            events_.emplace(now_ + 5ms, [this, plan, attempt] {
                plan->failed(attempt, error_of(upstream_unreachable), time(now_));
                go_on(plan);
            });
    }

    milliseconds well_again_;
    Health health_;
    unsigned seed_ = 0;
    milliseconds now_{0};
    std::multimap<milliseconds, std::function<void()>> events_;
};

TEST(AttemptPlanCrowd, LosesFewWhenTheOnlyTargetIsDownForAMoment) {
    const Crowd crowd(1300ms);
    EXPECT_GE(crowd.served, 970) << "those who found it open and tried in vain";
}

TEST(AttemptPlanCrowd, AsksADeadTargetAboutTwiceARequest) {
    const Crowd crowd(9s);
    EXPECT_GE(crowd.served, 200) << "all that came before or after";
    EXPECT_LE(crowd.asked, 1850) << "and not three times each";
}

TEST_F(AttemptPlanPropertyTest, ServesEveryRequestAsLongAsOneTargetIsWell) {
    std::minstd_rand random(9);
    const std::vector kinds{upstream_failed,    upstream_overloaded,   upstream_unreachable,
                            upstream_malformed, upstream_rate_limited, upstream_quota,
                            upstream_auth,      upstream_timeout,      model_not_found};
    for (int round = 0; round < 3000; ++round) {
        always.clear();
        const std::size_t well = random() % 4;
        std::vector<AttemptPlan::Target> targets;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::string line = fmt::format("t{}", i);
            targets.push_back(target(line));
            if (i != well) always[line] = error_of(kinds[random() % kinds.size()]);
        }
        request(targets, {.strategy = static_cast<Strategy>(random() % 3)});
        ASSERT_TRUE(served) << round << ": " << story();
        now += milliseconds(random() % 10'000);
    }
}

}  // namespace
}  // namespace runnel::router
