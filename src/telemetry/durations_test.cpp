#include "telemetry/durations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace runnel::telemetry {
namespace {

using std::chrono::microseconds;

TEST(Durations, HaveNoPercentilesWhileThereAreNone) {
    EXPECT_EQ(Durations().percentile(0.5), std::nullopt);
}

TEST(Durations, TellPercentilesWithinAFifth) {
    std::minstd_rand random(1);
    for (int round = 0; round < 50; ++round) {
        Durations one;
        Durations other;
        std::vector<std::int64_t> all;
        std::lognormal_distribution<double> spread(5.0 + round * 0.2, 1.5);
        for (int i = 0; i < 500; ++i) {
            const auto duration = static_cast<std::int64_t>(spread(random));
            all.push_back(duration);
            (i % 2 == 0 ? one : other).add(microseconds(duration));
        }
        one += other;
        std::ranges::sort(all);
        for (const double share : {0.5, 0.9, 0.99}) {
            const auto exact = static_cast<double>(all[static_cast<std::size_t>(share * 499)]);
            const auto told = static_cast<double>(one.percentile(share)->count());
            EXPECT_NEAR(told, exact, std::max(64.0, exact * 0.25)) << share;
        }
    }
}

TEST(Durations, TakeWhatNoRequestLasts) {
    Durations durations;
    durations.add(microseconds(-5));
    durations.add(microseconds(0));
    durations.add(std::chrono::hours(1000));
    EXPECT_LE(*durations.percentile(0.3), microseconds(64));
    EXPECT_GT(*durations.percentile(1), std::chrono::hours(4));
}

}  // namespace
}  // namespace runnel::telemetry
