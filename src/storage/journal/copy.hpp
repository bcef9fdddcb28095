#pragma once

#include "storage/journal/closed_log.hpp"
#include "storage/journal/disk.hpp"
#include "storage/journal/open_slots.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace runnel::storage {

// Copies what waits in the journal's memory to the disk, now and then, on a thread of its own: what
// a machine that loses power leaves of it, and where the rows are for which memory has no room. A
// disk that is full, frozen or gone is tried again; nobody else waits for it.
class JournalCopy {
public:
    // What one request thread has of the journal. Both outlive it.
    struct Source {
        ClosedLog* closed;
        OpenSlots* open;
    };
    using Sources = std::function<std::vector<Source>()>;

    // `how` while the process lives; after each time, `afterwards` is called. Nothing is done by
    // itself before start().
    JournalCopy(JournalDisk* disk, Sources sources, Copying how, std::function<void()> afterwards);
    void start();
    // Copies once more.
    ~JournalCopy();
    JournalCopy(const JournalCopy&) = delete;
    JournalCopy& operator=(const JournalCopy&) = delete;

    // Once, where it was not started.
    Result<void> copy(Copying how);

private:
    void run(const std::stop_token& stop);
    void note(const Result<void>& outcome);

    JournalDisk* disk_;
    Sources sources_;
    Copying how_;
    std::function<void()> afterwards_;
    bool failing_ = false;
    std::mutex mutex_;
    std::condition_variable_any stopped_;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace runnel::storage
