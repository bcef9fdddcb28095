#pragma once

#include <atomic>
#include <cstdint>

namespace runnel {

// A number that one thread changes and any thread may read, at the price of a plain one.
class OwnCount {
public:
    // By the thread whose number it is.
    void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
    void add(std::int64_t more = 1) { set(read() + more); }

    std::int64_t read() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::int64_t> value_ = 0;
};

}  // namespace runnel
