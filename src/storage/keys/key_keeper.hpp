#pragma once

#include "access/key_ring.hpp"
#include "storage/store_thread.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace runnel::storage {

// Keeps the keys that requests are checked against as the store has them: all are read again when
// somebody, here or on another machine, has changed one. While the store can't be read, the last
// ones stay in use.
class KeyKeeper {
public:
    static constexpr std::chrono::milliseconds look_time{300};

    // `board` must outlive it.
    KeyKeeper(std::unique_ptr<Database> database, access::KeyRingBoard* board);
    ~KeyKeeper();

    // Reads the keys for the first time, and waits for it; from then on it looks for changes by
    // itself. Where they can't be read: why, and it goes on trying.
    Result<void> start();

    // Where changes are asked for, as storage::ask<T>(keeper.thread(), keeper.effective(change)).
    StoreThread* thread() { return &thread_; }
    // The same change, in effect here by the time it is answered.
    template <class Change>
    auto effective(Change change) {
        return [this, change = std::move(change)](Database& database) mutable {
            auto answer = change(database);
            look(database);
            return answer;
        };
    }

private:
    void look_now_and_then(const std::stop_token& stop);
    // On the store's thread.
    void look(Database& database);
    Result<void> read_if_changed(Database& database);
    void note(const Result<void>& outcome);

    access::KeyRingBoard* board_;
    std::optional<std::int64_t> version_;  // of the keys on the board; the store's thread's own
    std::atomic<bool> failing_{false};
    std::atomic<bool> ending_{false};
    std::atomic<bool> look_is_due_{false};  // one waits in the queue already
    StoreThread thread_;
    std::jthread clock_;  // last: it submits to the thread
};

}  // namespace runnel::storage
