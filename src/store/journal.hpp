#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"
#include "store/closed_log.hpp"
#include "store/doorbell.hpp"
#include "store/journal_entry.hpp"
#include "store/journal_folder.hpp"
#include "store/open_slots.hpp"
#include "telemetry/request_log.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::store {

// One request thread's end of the journal. What it is told survives the process, however that ends;
// telling costs a copy, no lock and no system call (but one in some thousand times a new file).
// When the machine loses power, the last seconds may be lost: nothing waits for the disk.
class JournalWriter {
public:
    JournalWriter(JournalFolder* folder, Doorbell* doorbell, ClosedLog::Sizes sizes);

    // A request that is under way.
    struct Ticket {
        std::uint32_t slot = OpenSlots::none;
    };

    // Before the first provider is called.
    [[nodiscard]] Ticket open(const Opening& opening);

    // The request is over. `ticket` is empty where no provider was called. Each record has a
    // completion id of its own; one without gets an id that nobody knows.
    void close(Ticket ticket, const telemetry::RequestRecord& record,
               std::string_view timeline_json = {});

    // For the thread that takes what was closed.
    ClosedLog* closed() { return &closed_; }
    // Requests that were opened without a trace, because the disk is full.
    std::uint64_t unmarked() const { return unmarked_.load(std::memory_order_relaxed); }

private:
    Doorbell* doorbell_;
    OpenSlots open_;
    ClosedLog closed_;
    IdSource ids_;
    std::string lines_;  // of one record, its memory kept for the next
    std::string details_;
    std::atomic<std::uint64_t> unmarked_ = 0;
};

// What this process's requests do, on the disk until it is in the store.
class Journal {
public:
    struct Options {
        JournalFolder::Options folder{};
        ClosedLog::Sizes sizes{};
    };
    // In `folder`, e.g. data/journal, which processes share.
    static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& folder,
                                                 Options options);

    // One for each request thread; it lives as long as the journal.
    JournalWriter* add_writer();

    // For the recorder.
    std::vector<JournalWriter*> writers() const;
    JournalFolder* folder() { return folder_.get(); }
    Doorbell* doorbell() { return &doorbell_; }

private:
    Journal(std::unique_ptr<JournalFolder> folder, Options options)
        : folder_(std::move(folder)),
          options_(std::move(options)) {}

    std::unique_ptr<JournalFolder> folder_;  // first: the writers' files are in it
    Options options_;
    Doorbell doorbell_;
    mutable std::mutex mutex_;  // for the list, not for what is in it
    std::vector<std::unique_ptr<JournalWriter>> writers_;
};

}  // namespace runnel::store
