#pragma once

#include "telemetry/request_log.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace runnel::telemetry {

// Requests that are over and whose spans a collector has not got yet. Shared by all threads. It
// never makes anybody wait: where it is full, what comes is dropped and counted.
class TraceQueue {
public:
    explicit TraceQueue(std::size_t requests_max) : requests_max_(requests_max) {}

    void add(RequestRecord record);
    // The oldest, so many at most.
    std::vector<RequestRecord> take(std::size_t requests_max);

    // What became of spans that were taken.
    void note_sent(std::size_t spans) { sent_ += spans; }
    void note_dropped(std::size_t spans) { dropped_ += spans; }

    struct Figures {
        std::size_t waiting_requests;
        std::uint64_t sent_spans;
        std::uint64_t dropped_spans;
    };
    Figures figures() const;

private:
    const std::size_t requests_max_;
    mutable std::mutex mutex_;
    std::deque<RequestRecord> waiting_;
    std::atomic<std::uint64_t> sent_ = 0;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace runnel::telemetry
