#include "storage/redis/last_rates.hpp"

#include <algorithm>

namespace runnel::storage {

using metering::CounterState;
using metering::Hold;

void LastRates::note(const metering::Claim& claim, std::span<const CounterState> states, Time now) {
    if (heard_.size() >= sweep_at_) {
        std::erase_if(heard_, [&](const auto& entry) { return now >= entry.second.until; });
        sweep_at_ = std::max<std::size_t>(4096, 2 * heard_.size());
    }
    for (std::size_t i = 0; i < claim.holds.size(); ++i)
        if (claim.holds[i].of == Hold::Of::requests)
            heard_[claim.holds[i].counter] = {states[i].used, now + states[i].resets_in};
}

std::vector<CounterState> LastRates::recall(const metering::Claim& claim, Time now) const {
    std::vector<CounterState> states;
    for (const Hold& hold : claim.holds) {
        states.push_back({0, hold.lasts});
        if (hold.of != Hold::Of::requests) continue;
        const auto found = heard_.find(hold.counter);
        if (found == heard_.end() || now >= found->second.until) continue;
        states.back() = {found->second.used,
                         std::chrono::ceil<std::chrono::milliseconds>(found->second.until - now)};
    }
    return states;
}

}  // namespace runnel::storage
