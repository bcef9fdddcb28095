#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace runnel::storage {

// Wakes one thread that sleeps while there is nothing to do. Notifying costs a load, and a system
// call only when somebody sleeps.
//
// Nobody sleeps through it: the notifier stores its news and then loads `asleep_`, the sleeper
// stores `asleep_` and then looks for news, all four sequentially consistent, so at least one of
// them sees the other's.
class Wakeup {
public:
    // After the news was stored, sequentially consistent.
    void notify() {
        if (asleep_.load(std::memory_order_seq_cst)) wake();
    }

    // Sleeps until somebody notifies, or `has_news` says there is no need to; at most so long.
    template <class HasNews>
    void sleep(std::chrono::milliseconds time_max, HasNews has_news) {
        std::unique_lock lock(mutex_);
        asleep_.store(true, std::memory_order_seq_cst);
        if (!has_news()) notified_.wait_for(lock, time_max, [&] { return !asleep_.load(); });
        asleep_.store(false);
    }

private:
    void wake() {
        const std::scoped_lock lock(mutex_);
        asleep_.store(false);
        notified_.notify_one();
    }

    alignas(64) std::atomic<bool> asleep_ = false;
    std::mutex mutex_;
    std::condition_variable notified_;
};

}  // namespace runnel::storage
