#include "exchange/attempts/deadlines.hpp"

#include "base/limits.hpp"

#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using namespace std::chrono_literals;
using chat::Streaming;

TEST(Deadlines, ASilentStreamIsLeftSoonerWhileSomebodyElseCanBeAsked) {
    const router::Timeouts nothing;
    EXPECT_EQ(
        deadlines_for(nothing, Streaming::yes, Chance::others_follow, std::nullopt).first_token,
        30s);
    EXPECT_EQ(deadlines_for(nothing, Streaming::yes, Chance::last, std::nullopt).first_token, 120s);
}

TEST(Deadlines, AWholeAnswerMayTakeAsLongAsTheRequest) {
    const router::Timeouts nothing;
    EXPECT_EQ(
        deadlines_for(nothing, Streaming::no, Chance::others_follow, std::nullopt).first_token,
        120s);
    EXPECT_EQ(deadlines_for(nothing, Streaming::no, Chance::last, std::nullopt).first_token,
              limits::total_time);
}

TEST(Deadlines, WhatWasSaidHolds) {
    const router::Timeouts said{.connect = 1s, .first_token = 2s, .idle = 3s, .total = 4s};
    for (const Chance chance : {Chance::others_follow, Chance::last})
        for (const Streaming streaming : {Streaming::yes, Streaming::no}) {
            const Deadlines times = deadlines_for(said, streaming, chance, std::nullopt);
            EXPECT_EQ(times.connect, 1s);
            EXPECT_EQ(times.first_token, 2s);
            EXPECT_EQ(times.idle, 3s);
            EXPECT_EQ(times.total, 4s);
        }
}

TEST(Deadlines, TheRequestsOwnTimeBoundsThemAll) {
    const auto total = [](RequestTime time) {
        return deadlines_for({}, Streaming::yes, Chance::last, time);
    };
    EXPECT_EQ(total({2s, 1500ms}).total, 1500ms);
    EXPECT_EQ(total({2s, 1500ms}).request_timeout, 2s);
    EXPECT_EQ(total({2s, -5ms}).total, 0ms);
    EXPECT_EQ(total({1h, 1h}).total, limits::total_time);
    EXPECT_EQ(total({1h, 1h}).request_timeout, std::nullopt);
}

}  // namespace
}  // namespace runnel::exchange
