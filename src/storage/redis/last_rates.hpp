#pragma once

#include "metering/claim.hpp"
#include "metering/verdict.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace runnel::storage {

// What was last heard of the counters of requests that are kept elsewhere, for those who want to
// know at once. Not for several threads.
class LastRates {
public:
    using Time = std::chrono::steady_clock::time_point;

    // `states` is one for each hold.
    void note(const metering::Claim& claim, std::span<const metering::CounterState> states,
              Time now);
    // One for each hold; a counter that nothing was heard of, or whose time is over, is empty.
    std::vector<metering::CounterState> recall(const metering::Claim& claim, Time now) const;

    std::size_t size() const { return heard_.size(); }

private:
    struct Heard {
        std::int64_t used = 0;
        Time until{};
    };
    std::unordered_map<std::string, Heard> heard_;  // by counter
    std::size_t sweep_at_ = 4096;
};

}  // namespace runnel::storage
