#pragma once

#include "base/limits.hpp"
#include "storage/journal/closed_batch.hpp"
#include "storage/journal/journal.hpp"
#include "storage/journal/recovery.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace runnel::storage {

// Brings what the journal holds into the store, on a thread of its own: what is closed, within a
// tenth of a second or so, many rows at a time; and what processes that are gone have left behind.
// While the store is away, rows wait in the journal; when that is full, they are lost and counted.
class Recorder {
public:
    struct Options {
        ClosedBatch::Size batch{limits::recorded_batch_rows, limits::recorded_batch_bytes};
        std::chrono::milliseconds gather_time = limits::recorder_gather_time;
        std::chrono::milliseconds retry_time_max = limits::recorder_retry_time;
        std::chrono::milliseconds recovery_time = limits::recovery_time;
        // Whether the store would take rows, asked while there are none: at the beginning, and
        // until it would. None: it is found out with the first.
        std::function<Result<void>()> check{};
    };

    // `append` and `recovered` are called on the recorder's thread. The journal outlives it, and
    // has all its writers.
    Recorder(Journal* journal, AppendRecords append, OnRecovered recovered, Options options);
    // Does not wait for a store that is away.
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // When the requests have ended: stores what waits, for so long at most. What is left then, the
    // next process finds. True when nothing is.
    bool stop(std::chrono::milliseconds time_max);

    // Waits until all that was closed so far is in the store; false when that takes longer.
    bool flush(std::chrono::milliseconds time_max);

    struct Figures {
        std::uint64_t waiting = 0;         // rows that are not in the store yet
        std::chrono::milliseconds lag{0};  // how long, at most, the oldest of them has waited
        std::uint64_t stored = 0;          // rows of this process
        std::uint64_t recovered = 0;       // rows of others
        std::uint64_t lost = 0;            // rows that are in no store and never will be
        std::uint64_t unmarked = 0;        // requests that a crash would have left no trace of
        std::size_t journal_bytes = 0;     // on the disk
        std::size_t memory_bytes = 0;      // of the journal
        bool store_is_up = false;          // it took the last batch, or would have
        std::string store_error{};         // why it is not; empty: that is not known yet
    };
    // From any thread.
    Figures figures() const;
    // All that this process had closed before then is in the store.
    std::chrono::steady_clock::time_point stored_until() const;

private:
    using Clock = std::chrono::steady_clock;

    void run();
    void store_closed();
    void check_store();
    void recover();
    void store_failed(const Error& error);
    void store_works();
    void tell_of_lost_rows();
    void rest();
    void wait_for_store();
    void wait_for_rows();

    bool is_over() const;
    std::uint64_t waiting() const;
    std::uint64_t lost() const;
    void hurry();

    Options options_;
    Journal* journal_;
    std::vector<JournalWriter*> writers_;
    AppendRecords append_;
    ClosedBatch batch_;
    Recovery recovery_;

    // The thread's own.
    Clock::time_point retry_at_{};
    std::chrono::milliseconds retry_time_;
    Clock::time_point recover_at_{};
    Clock::time_point tell_lost_at_{};
    std::uint64_t lost_told_ = 0;

    // Its news for others.
    std::atomic<bool> store_is_known_ = false;  // to take rows
    std::atomic<std::uint64_t> stored_ = 0;
    std::atomic<std::uint64_t> recovered_ = 0;
    std::atomic<std::uint64_t> refused_ = 0;
    std::atomic<std::uint64_t> unreadable_ = 0;
    std::atomic<std::uint64_t> recovery_lost_ = 0;
    std::atomic<Clock::time_point> stored_until_;  // all that was closed before then is stored

    // Theirs for it.
    std::atomic<int> in_a_hurry_ = 0;  // so many wait for it

    mutable std::mutex mutex_;
    std::condition_variable hurried_;
    std::condition_variable progress_;
    std::optional<Clock::time_point> stop_at_{};
    bool ended_ = false;
    std::string store_error_;

    std::thread thread_;  // last: it uses all of the above
};

}  // namespace runnel::storage
