#pragma once

#include "router/breaker.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::router {

// How each target fares through each of its provider's keys (they are named "provider/model" or
// "provider/model#2" for the second key): a circuit breaker, a rest that the provider asked for,
// and the time to its first token. Shared by all threads, and kept when the config is read again;
// it is asked once per attempt, never per chunk. Time is passed in.
//
// The number of targets is bounded, because clients may name any model: the one that was used
// longest ago goes first, and a target of which nothing is known is not kept at all.
class Health {
public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;

    static constexpr std::size_t targets_max_default = 4096;

    explicit Health(std::size_t targets_max = targets_max_default);
    ~Health();

    enum class Standing {
        ready,
        resting,  // the provider said when to come back
        open      // it failed too often of late, or is being probed
    };
    // For choosing whom to ask; changes nothing. An open target that is due for a probe is ready.
    Standing standing(std::string_view target, Time now) const;
    // When a resting or open target may be asked again; now if it is ready.
    Time ready_at(std::string_view target, Time now) const;

    // Asks the target's breaker for leave to use it: see Breaker::admit. A rest is no hindrance: it
    // is for choosing. A leave must be settled by one of the three below: as soon as the answer has
    // begun, so that a long one doesn't keep a breaker waiting.
    using Need = Breaker::Need;
    using Leave = Breaker::Leave;
    std::optional<Leave> admit(std::string_view target, Need need, Time now);
    void succeeded(std::string_view target, Leave leave, std::chrono::milliseconds first_token,
                   Time now);
    void failed(std::string_view target, Leave leave, Time now);
    void said_nothing(std::string_view target, Leave leave);  // the client left, or was at fault
    // What succeeded broke off later.
    void broke_off(std::string_view target, Leave leave, Time now);

    // The provider wants this key to wait for this model.
    void rest(std::string_view target, Time until);

    // A moving average of the time to the first token; zero: not known yet.
    std::chrono::microseconds first_token(std::string_view target) const;

    // For /readyz?verbose and the admin API, by name.
    struct Entry {
        std::string name;
        std::string breaker;  // closed, open, half-open
        std::chrono::milliseconds ready_in;
        std::uint64_t successes;  // of the recent attempts
        std::uint64_t failures;
        std::chrono::microseconds first_token;
    };
    std::vector<Entry> entries(Time now) const;

private:
    struct Table;
    std::unique_ptr<Table> table_;
};

}  // namespace runnel::router
