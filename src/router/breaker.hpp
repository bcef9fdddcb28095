#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

namespace runnel::router {

// A circuit breaker: who may use something that fails now and then. Time is passed in.
//
// Closed, it lets everybody through and looks at the last outcomes. When enough of them are
// failures it opens: nobody may pass for a while, then one probe at a time. Some successful probes
// in a row close it; after a failed one it stays open for the same time again. One that opens again
// soon after it closed stays open for twice as long, up to a limit: so what comes and goes is
// neither hammered nor left out for good.
class Breaker {
public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::size_t outcomes_max = 20;  // looked at
    static constexpr auto outcome_age_max = std::chrono::seconds(60);
    static constexpr std::size_t failures_to_open = 5;  // and half of the outcomes
    static constexpr int successes_to_close = 2;
    static constexpr auto open_time_first = std::chrono::seconds(30);
    static constexpr auto open_time_max = std::chrono::minutes(2);
    static constexpr auto relapse_time = std::chrono::seconds(60);  // after closing
    // A probe that takes longer no longer keeps others from probing: a model may think for minutes.
    static constexpr auto probe_time = std::chrono::seconds(10);

    enum class State { closed, open, half_open };
    State state(Time now) const;
    // Whether admit() would say yes to a choice.
    bool ready(Time now) const;
    // When it may: an estimate where that depends on a probe under way.
    Time ready_at(Time now) const;

    // `choice`: there are others. `last_resort`: there is nobody else, so it passes in any case, as
    // a probe if there is none under way: an error of the provider's own is worth more than a
    // guess.
    enum class Need { choice, last_resort };
    // What was given must be settled by one of the three below.
    struct Leave {
        std::uint32_t period = 0;
        std::uint32_t probe = 0;  // 0: none
    };
    std::optional<Leave> admit(Need need, Time now);
    void succeeded(Leave leave, Time now);
    void failed(Leave leave, Time now);
    void said_nothing(Leave leave);
    // What was settled as a success turned out a failure.
    void broke_off(Leave leave, Time now);

    struct Count {
        std::size_t successes = 0;
        std::size_t failures = 0;
    };
    Count recent(Time now) const;
    // Whether it has seen anything at all.
    bool untouched() const { return recorded_ == 0 && period_ == 0; }

private:
    struct Outcome {
        Time at;
        enum class Kind { success, failure } kind;
    };
    bool probing(Time now) const;
    void record(Outcome::Kind kind, Time now);
    void open_if_failing(Time now);
    void open(Time now, std::chrono::milliseconds time);
    void close(Time now);

    State state_ = State::closed;
    // Counts openings and closings: an attempt that began before one says nothing about what comes
    // after it.
    std::uint32_t period_ = 0;

    std::array<Outcome, outcomes_max> outcomes_{};  // a ring; while closed
    std::size_t recorded_ = 0;                      // since it was closed

    Time open_until_{};
    std::chrono::milliseconds open_time_{0};
    std::optional<Time> closed_at_{};

    std::uint32_t last_probe_ = 0;
    std::uint32_t probe_ = 0;  // under way; 0: none
    Time probe_began_{};
    int probe_successes_ = 0;  // in a row
};

}  // namespace runnel::router
