#include "router/target_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace runnel::router {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using Fit = Candidate::Fit;

Candidate weighing(unsigned weight) { return {.weight = weight}; }
Candidate taking(std::chrono::microseconds first_token) { return {.first_token = first_token}; }

// How often each candidate comes first.
std::vector<int> firsts(Strategy strategy, const std::vector<Candidate>& candidates, int times) {
    std::vector<int> firsts(candidates.size());
    std::minstd_rand random(1);
    for (int i = 0; i < times; ++i) ++firsts[order_of(strategy, candidates, random).front()];
    return firsts;
}

TEST(TargetOrder, KeepsTheConfigsOrderForFailover) {
    std::minstd_rand random(1);
    const std::array candidates{weighing(1), weighing(9), taking(1ms)};
    EXPECT_THAT(order_of(Strategy::failover, candidates, random), ElementsAre(0, 1, 2));
    EXPECT_THAT(order_of(Strategy::weighted, {}, random), ElementsAre());
    EXPECT_THAT(order_of(Strategy::least_latency, {}, random), ElementsAre());
}

TEST(TargetOrder, DrawsTheFirstByWeight) {
    const auto counts = firsts(Strategy::weighted, {weighing(3), weighing(1)}, 4000);
    EXPECT_NEAR(counts[0], 3000, 120);
    const auto more =
        firsts(Strategy::weighted, {weighing(0), weighing(70), weighing(25), weighing(5)}, 10'000);
    EXPECT_EQ(more[0], 0);
    EXPECT_NEAR(more[1], 7000, 200);
    EXPECT_NEAR(more[2], 2500, 200);
    EXPECT_NEAR(more[3], 500, 100);
}

TEST(TargetOrder, LetsTheOthersFollowTheDrawnOneAsTheyStand) {
    std::minstd_rand random(1);
    const std::array candidates{weighing(0), weighing(0), weighing(1), weighing(0)};
    EXPECT_THAT(order_of(Strategy::weighted, candidates, random), ElementsAre(2, 0, 1, 3));
    const std::array none{weighing(0), weighing(0)};
    EXPECT_THAT(order_of(Strategy::weighted, none, random), ElementsAre(0, 1));
}

TEST(TargetOrder, SharesTheWeightOfWhoIsUnfitAmongTheOthers) {
    Candidate unfit = weighing(8);
    unfit.fit = Fit::unfit;
    const auto counts = firsts(Strategy::weighted, {unfit, weighing(1), weighing(1)}, 4000);
    EXPECT_EQ(counts[0], 0);
    EXPECT_NEAR(counts[1], 2000, 150);
}

TEST(TargetOrder, AsksTheQuickestFirstAndUnknownOnesBeforeThem) {
    std::minstd_rand random(12'345);
    Candidate unfit = taking(1ms);
    unfit.fit = Fit::unfit;
    const std::array candidates{unfit,        taking(300ms), taking(0us),
                                taking(20ms), taking(0us),   taking(100ms)};
    EXPECT_THAT(order_of(Strategy::least_latency, candidates, random),
                ElementsAre(2, 4, 3, 5, 1, 0));
}

TEST(TargetOrder, LooksAfreshAtTheSlowerOnesNowAndThen) {
    Candidate unfit = taking(1ms);
    unfit.fit = Fit::unfit;
    const auto counts =
        firsts(Strategy::least_latency, {taking(50ms), taking(10ms), taking(90ms), unfit}, 10'000);
    EXPECT_NEAR(counts[1], 9500, 120);
    EXPECT_NEAR(counts[0], 250, 80);
    EXPECT_NEAR(counts[2], 250, 80);
    EXPECT_EQ(counts[3], 0);
}

TEST(TargetOrder, LeavesThoseWithoutWeightBehindTheOthers) {
    Candidate fallback = taking(1ms);
    fallback.weight = 0;
    for (const Strategy strategy : {Strategy::weighted, Strategy::least_latency}) {
        const auto counts = firsts(strategy, {taking(50ms), taking(90ms), fallback}, 1000);
        EXPECT_EQ(counts[2], 0);
    }
    std::minstd_rand random(12'345);
    const std::array candidates{taking(90ms), taking(50ms), fallback, fallback};
    EXPECT_THAT(order_of(Strategy::least_latency, candidates, random), ElementsAre(1, 0, 2, 3));
}

}  // namespace
}  // namespace runnel::router
