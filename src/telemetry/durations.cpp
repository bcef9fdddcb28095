#include "telemetry/durations.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace runnel::telemetry {
namespace {

constexpr double shortest = 64;  // microseconds; what is shorter is in the first step too

}  // namespace

std::size_t Durations::step_of(std::chrono::microseconds duration) {
    const double doubled = std::log2(static_cast<double>(duration.count()) / shortest);
    if (!(doubled > 0)) return 0;  // also of what is 0 or negative
    const auto step = static_cast<std::size_t>(doubled * steps_per_doubling);
    return std::min(step, steps_per_doubling * doublings - 1);
}

double Durations::begin_of(std::size_t step) {
    if (step == 0) return 0;
    return shortest * std::exp2(static_cast<double>(step) / steps_per_doubling);
}

Durations& Durations::operator+=(const Durations& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    return *this;
}

std::optional<std::chrono::microseconds> Durations::percentile(double share) const {
    const auto all = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    if (all == 0) return std::nullopt;
    double left = share * static_cast<double>(all);
    std::size_t step = 0;
    while (step + 1 < counts_.size() && left > counts_[step]) left -= counts_[step++];
    // Those of one step are taken to be spread evenly over it.
    const double part = counts_[step] == 0 ? 0 : left / counts_[step];
    const double value = std::lerp(begin_of(step), begin_of(step + 1), std::min(part, 1.0));
    return std::chrono::microseconds(std::llround(value));
}

}  // namespace runnel::telemetry
