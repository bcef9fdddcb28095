#pragma once

#include "storage/journal/journal.hpp"
#include "storage/records/records.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace runnel::storage {

// Some of the requests that are closed and not yet in the store, of all writers. For one thread.
class ClosedBatch {
public:
    using Clock = std::chrono::steady_clock;

    struct Size {
        std::size_t rows_max;
        std::size_t bytes_max;  // about
    };
    ClosedBatch(std::vector<JournalWriter*> writers, Size size);

    // Takes what there is, once the last ones are committed.
    void gather();
    // They are in the store: the journal need not keep them.
    void commit();

    std::span<const Record> records() const { return records_; }
    bool empty() const { return records_.empty(); }
    // There was more than it could take.
    bool is_full() const { return is_full_; }
    // All that was closed before then is in it, or was in one before; unless it is full.
    Clock::time_point began() const { return began_; }
    // Entries that nobody can read.
    std::uint64_t unreadable() const { return unreadable_; }

private:
    void take_from(ClosedLog* log);

    std::vector<JournalWriter*> writers_;
    Size size_;
    std::vector<Record> records_;
    std::size_t bytes_ = 0;
    std::size_t first_ = 0;  // the writer whose turn it is
    bool is_full_ = false;
    Clock::time_point began_{};
    std::uint64_t unreadable_ = 0;
};

}  // namespace runnel::storage
