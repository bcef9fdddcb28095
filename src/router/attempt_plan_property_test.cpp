#include "router/attempt_plan.hpp"
#include "support/planned_requests.hpp"

#include <gtest/gtest.h>

#include <map>
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
                                   .window = std::chrono::seconds(pick(1, 60))};
        bound += static_cast<std::size_t>(limits.retries);
        const Time ends = now + limits.window;

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
