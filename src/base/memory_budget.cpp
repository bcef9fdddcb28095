#include "base/memory_budget.hpp"

#include "base/limits.hpp"

#include <utility>

namespace runnel {

bool MemoryBudget::take(std::size_t bytes, Use use) {
    if (try_take(bytes, use)) return true;
    // Whoever keeps the cache asks with its own lock held, and must not be asked back.
    if (use == Use::cache || !give_up_ || taken_for(Use::cache) == 0) return false;
    give_up_(bytes);
    return try_take(bytes, use);
}

bool MemoryBudget::try_take(std::size_t bytes, Use use) {
    const std::size_t before = taken_.fetch_add(bytes, std::memory_order_relaxed);
    const std::size_t most = limit();
    if (before <= most && bytes <= most - before) {
        by_use(use).fetch_add(bytes, std::memory_order_relaxed);
        return true;
    }
    taken_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
}

void MemoryBudget::give_back(std::size_t bytes, Use use) {
    taken_.fetch_sub(bytes, std::memory_order_relaxed);
    by_use(use).fetch_sub(bytes, std::memory_order_relaxed);
}

MemoryBudget::Share::Share(Share&& other) noexcept
    : from_(other.from_),
      use_(other.use_),
      taken_(std::exchange(other.taken_, 0)),
      low_(std::exchange(other.low_, 0)) {}

MemoryBudget::Share& MemoryBudget::Share::operator=(Share&& other) noexcept {
    if (this == &other) return *this;
    drop();
    from_ = other.from_;
    use_ = other.use_;
    taken_ = std::exchange(other.taken_, 0);
    low_ = std::exchange(other.low_, 0);
    return *this;
}

bool MemoryBudget::Share::resize_in_steps(std::size_t bytes) {
    if (from_ == nullptr) return true;
    constexpr std::size_t step = limits::memory_step_bytes;
    const std::size_t wanted = bytes / step * step + (bytes % step > 0 ? step : 0);
    if (wanted > taken_) {
        if (!from_->take(wanted - taken_, use_)) return false;
    } else {
        from_->give_back(taken_ - wanted, use_);
    }
    taken_ = wanted;
    low_ = wanted > 2 * step ? wanted - 2 * step : 0;  // not back and forth at a step's edge
    return true;
}

void MemoryBudget::Share::drop() {
    if (from_ != nullptr) from_->give_back(taken_, use_);
    taken_ = 0;
    low_ = 0;
}

}  // namespace runnel
