#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace runnel::telemetry {

// How often what duration was seen, in steps of about a fifth: percentiles of any number of
// durations from half a kilobyte.
class Durations {
public:
    void add(std::chrono::microseconds duration, std::uint32_t times = 1) {
        counts_[step_of(duration)] += times;
    }
    Durations& operator+=(const Durations& other);

    // The duration that this share of all does not exceed, within a fifth or so; none: there are
    // none.
    std::optional<std::chrono::microseconds> percentile(double share) const;

private:
    static constexpr std::size_t steps_per_doubling = 4;
    static constexpr std::size_t doublings = 28;  // of 64 µs: five hours

    static std::size_t step_of(std::chrono::microseconds duration);
    static double begin_of(std::size_t step);  // in microseconds

    std::array<std::uint32_t, steps_per_doubling * doublings> counts_{};
};

}  // namespace runnel::telemetry
