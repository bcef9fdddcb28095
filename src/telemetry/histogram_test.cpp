#include "telemetry/histogram.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace runnel::telemetry {
namespace {

TEST(Histogram, ADurationFallsIntoTheFirstBucketThatHoldsIt) {
    for (std::size_t i = 0; i < gap_bounds.size(); ++i) {
        EXPECT_EQ(bucket_of<gap_bounds>(gap_bounds[i]), i);
        EXPECT_EQ(bucket_of<gap_bounds>(gap_bounds[i] + 1us), i + 1);
    }
    EXPECT_EQ(bucket_of<gap_bounds>(0us), 0U);
}

TEST(Histogram, WhatOneThreadCountsIsWhatOthersRead) {
    OwnHistogram<request_bounds> own;
    RequestTimes plain;
    for (int i = 0; i < 1000; ++i) {
        const auto duration = std::chrono::microseconds(i * i * 977);
        own.add(duration);
        plain.add(duration);
    }
    EXPECT_EQ(own.read().counts, plain.counts);
    EXPECT_EQ(own.read().sum, plain.sum);
    EXPECT_EQ(std::accumulate(plain.counts.begin(), plain.counts.end(), std::int64_t{0}), 1000);
    RequestTimes twice = plain;
    twice += plain;
    EXPECT_EQ(twice.sum, 2 * plain.sum);
}

}  // namespace
}  // namespace runnel::telemetry
