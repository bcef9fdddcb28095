#pragma once

#include "base/result.hpp"
#include "timeline/recording.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Timelines as text, each event with the time at which it came: what content logs and caches keep,
// and what is played again from them.
namespace runnel::timeline {

using EventTime = std::chrono::milliseconds;  // since the answer began

// A timeline kept with the times of its events.
class TimedRecording {
public:
    TimedRecording() = default;
    TimedRecording(TimedRecording&&) = default;
    TimedRecording& operator=(TimedRecording&&) = default;

    void add(EventTime at, const Event& event) {
        recording_.on(event);
        times_.push_back(at);
    }
    // Forgets all but the first so many.
    void shorten(std::size_t events) {
        recording_.shorten(events);
        times_.resize(std::min(events, times_.size()));
    }
    std::size_t bytes() const { return recording_.bytes(); }
    // At once. Whoever wants the times waits by himself.
    void replay(Sink* to) const { recording_.replay(to); }

    const std::vector<Event>& events() const { return recording_.events(); }
    const std::vector<EventTime>& times() const { return times_; }  // one for each event

    // More was said than could be kept: there is a gap before the end.
    bool truncated = false;

private:
    Recording recording_;
    std::vector<EventTime> times_;
};

// Writes a timeline down while it happens, as one JSON document on one line:
//
//     {"version":2,"events":[{"ms":0,"started":true},{"ms":412,"text":"Hel"},…,{"ms":980,"ended":true}]}
//
// All that a dialect shows is in it, event by event. An error's detail, which is for the operator
// alone, is not.
class ArchiveWriter final : public Sink {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;

    // Times are counted from now on. Of what does not fit into about `bytes_max` only the end is
    // kept: usage, finish, error.
    ArchiveWriter(std::size_t bytes_max, Now now);

    void on(const Event& event) override;
    // With the time at which it came, rather than now.
    void add(EventTime at, const Event& event);

    bool truncated() const { return truncated_; }
    bool ended() const { return ended_; }
    // The document. The writer is done with.
    std::string take();

private:
    friend std::string write_archive(const TimedRecording& recording, std::size_t bytes_max);

    void add_late(EventTime at, const Event& event);
    void append_late_usage();

    std::size_t bytes_max_;
    Now now_;
    Clock::time_point began_;
    std::string text_;
    std::optional<std::pair<EventTime, Usage>> late_usage_;  // counted after the gap began
    bool truncated_ = false;
    bool ended_ = false;
};

// The same for a timeline that is over.
std::string write_archive(const TimedRecording& recording, std::size_t bytes_max);

// Reads such a document. Whatever the text was, the timeline can be told to any dialect.
Result<TimedRecording> read_archive(std::string text);

}  // namespace runnel::timeline
