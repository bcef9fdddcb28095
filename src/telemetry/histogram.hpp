#pragma once

#include "base/own_count.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>

namespace runnel::telemetry {

// Durations are written with these.
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

template <std::size_t Size>
using Bounds = std::array<std::chrono::microseconds, Size>;  // the most that each bucket takes

// Of first tokens and whole requests: from answers out of a cache to those of models that think.
inline constexpr Bounds<16> request_bounds{5ms, 10ms, 25ms, 50ms, 100ms, 250ms, 500ms, 1s,
                                           2s,  5s,   10s,  20s,  30s,   60s,   120s,  300s};
// Of the time between two pieces of a stream.
inline constexpr Bounds<14> gap_bounds{100us, 500us, 1ms,   5ms, 10ms, 25ms, 50ms,
                                       100ms, 250ms, 500ms, 1s,  5s,   15s,  60s};

template <const auto& bounds>
std::size_t bucket_of(std::chrono::microseconds duration) {
    return static_cast<std::size_t>(
        std::distance(bounds.begin(), std::ranges::lower_bound(bounds, duration)));
}

// How many durations fell into which bucket, and their sum.
template <const auto& bounds>
struct Histogram {
    static constexpr const auto& limits = bounds;

    std::array<std::int64_t, std::size(bounds) + 1> counts{};
    std::chrono::microseconds sum{0};

    void add(std::chrono::microseconds duration) {
        ++counts[bucket_of<bounds>(duration)];
        sum += duration;
    }
    Histogram& operator+=(const Histogram& other) {
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
        sum += other.sum;
        return *this;
    }
};

// The same, changed by one thread and read by any.
template <const auto& bounds>
class OwnHistogram {
public:
    void add(std::chrono::microseconds duration) {
        counts_[bucket_of<bounds>(duration)].add();
        sum_us_.add(duration.count());
    }
    Histogram<bounds> read() const {
        Histogram<bounds> seen;
        for (std::size_t i = 0; i < counts_.size(); ++i) seen.counts[i] = counts_[i].read();
        seen.sum = std::chrono::microseconds(sum_us_.read());
        return seen;
    }

private:
    std::array<OwnCount, std::size(bounds) + 1> counts_{};
    OwnCount sum_us_;
};

using RequestTimes = Histogram<request_bounds>;
using Gaps = Histogram<gap_bounds>;

}  // namespace runnel::telemetry
