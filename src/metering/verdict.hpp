#pragma once

#include "metering/claim.hpp"
#include "metering/meter.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// What every meter does alike.
namespace runnel::metering {

// How a hold's counter stands once the claim is decided.
struct CounterState {
    std::int64_t used = 0;
    std::chrono::milliseconds resets_in{0};
};

// `states` is one for each hold; `full` is the hold that had no room, none: the claim was let in.
Verdict verdict_on(const Claim& claim, std::span<const CounterState> states,
                   std::optional<std::size_t> full);

// How the tightest of the claim's limits on requests stands; none: it has none. Of the other holds
// no state is needed.
std::optional<RateState> rate_of(const Claim& claim, std::span<const CounterState> states);

// What a hold comes to in the end.
std::int64_t used_in_the_end(Hold::Of of, const Settlement& settlement);

// How long a counter is kept: its period, and a day more where a clock that jumps may come back to
// it.
std::chrono::milliseconds kept_for(const Hold& hold);

}  // namespace runnel::metering
