#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::router {

// How each target fares through each of its provider's keys (a "line", named "provider/model" or
// "provider/model#2" for the second key): a circuit breaker, a rest that the provider asked for,
// and the time to its first token. Shared by all threads, and kept when the config is read again;
// it is asked once per attempt, never per chunk. Time is passed in.
//
// A breaker opens when half of the recent attempts failed (and at least five did), and lets single
// probes through after a while; some successful probes in a row close it. One that opens again soon
// after it closed stays open longer, so that a provider which comes and goes is neither hammered
// nor left out for good.
class Health {
public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;

    Health();
    ~Health();

    enum class Standing {
        ready,
        resting,  // the provider said when to come back
        open      // it failed too often of late
    };
    // For choosing whom to ask; changes nothing. An open line that is due for a probe is ready.
    Standing standing(std::string_view line, Time now) const;
    // When a resting or open line may be asked again; now if it is ready.
    Time ready_at(std::string_view line, Time now) const;

    // Asks for leave to use the line. `last_resort`: there is nobody else, so that an open line is
    // probed although it is not due yet; a resting one is asked all the same. False while another
    // probe is under way on an open line. Every leave given must be settled by one of the three
    // below.
    enum class Need { choice, last_resort };
    bool admit(std::string_view line, Need need, Time now);
    void succeeded(std::string_view line, std::chrono::milliseconds first_token, Time now);
    void failed(std::string_view line, Time now);
    void said_nothing(std::string_view line, Time now);  // e.g. the client left, or was at fault

    // The provider wants this key to wait for this model.
    void rest(std::string_view line, Time until);

    // A moving average of the time to the first token; zero: not known yet.
    std::chrono::microseconds first_token(std::string_view line) const;

    // For /readyz?verbose and the admin API, by name.
    struct Entry {
        std::string line;
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
