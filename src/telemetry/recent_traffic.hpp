#pragma once

#include "base/money.hpp"
#include "telemetry/durations.hpp"
#include "telemetry/request_log.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

namespace runnel::telemetry {

// What was asked of a process lately, how it went and how long it took: by the minute for an hour,
// by the hour for a week. Shared by all threads, touched once per request; of a fixed size, however
// many requests there are.
class RecentTraffic {
public:
    using Time = std::chrono::sys_time<std::chrono::milliseconds>;

    struct Slot {
        Time begins{};
        std::int64_t requests = 0;
        std::int64_t errors = 0;
        std::int64_t input_tokens = 0;
        std::int64_t output_tokens = 0;
        Money cost{};
        Durations first_token{};
        Durations total{};

        Slot& operator+=(const Slot& other);
    };

    RecentTraffic();

    // A chat request that is over.
    void add(const RequestRecord& record, Time now);
    // What is known of a minute or an hour from elsewhere, beside what was added. In any order:
    // what is older than what is kept is let go.
    void recall_minute(const Slot& minute);
    void recall_hour(const Slot& hour);

    // The last 60 minutes, or so many hours up to 168, the one that runs included; oldest first.
    std::vector<Slot> minutes(Time now) const;
    std::vector<Slot> hours(std::size_t count, Time now) const;

private:
    // Slots of one length, each in the place where its time falls: a new time takes an old one's.
    class Wheel {
    public:
        Wheel(std::chrono::milliseconds length, std::size_t size) : length_(length), slots_(size) {}
        // The slot of that time; none where a newer one has its place.
        Slot* at(Time when);
        std::vector<Slot> last(std::size_t count, Time now) const;

    private:
        Time begin_of(Time now) const { return now - now.time_since_epoch() % length_; }
        std::size_t place_of(Time begins) const;

        std::chrono::milliseconds length_;
        std::vector<Slot> slots_;
    };

    mutable std::mutex mutex_;
    Wheel minutes_;
    Wheel hours_;
};

}  // namespace runnel::telemetry
