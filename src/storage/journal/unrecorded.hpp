#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace runnel::storage {

// Requests that there was no journal for, so that nothing is kept of them: counted, and told of in
// the log now and then. For any thread.
class Unrecorded {
public:
    using Time = std::chrono::steady_clock::time_point;

    void add(Time now);
    std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> count_{0};
    std::atomic<Time> tell_at_{Time::min()};
};

}  // namespace runnel::storage
