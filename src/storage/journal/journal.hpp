#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"
#include "storage/journal/closed_log.hpp"
#include "storage/journal/copy.hpp"
#include "storage/journal/disk.hpp"
#include "storage/journal/entry.hpp"
#include "storage/journal/folder.hpp"
#include "storage/journal/memory.hpp"
#include "storage/journal/open_elsewhere.hpp"
#include "storage/journal/open_slots.hpp"
#include "storage/journal/wakeup.hpp"
#include "telemetry/request_log.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::storage {

// One request thread's end of the journal. It writes to memory that survives the process, however
// that ends; telling costs a copy, no lock and no system call (but one in some hundred times a new
// file of that memory). Nothing waits for the disk: when the machine loses power, the last moments
// are lost.
class JournalWriter {
public:
    JournalWriter(JournalFolder* folder, Wakeup* wakeup, ClosedLog::Sizes sizes);

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

    // For the thread that takes what was closed, and for the one that copies.
    ClosedLog* closed() { return &closed_; }
    OpenSlots* open_slots() { return &open_; }
    // Requests that were opened without a trace, because memory is full.
    std::uint64_t unmarked() const { return unmarked_.load(std::memory_order_relaxed); }

private:
    Wakeup* wakeup_;
    OpenSlots open_;
    ClosedLog closed_;
    IdSource ids_;
    std::string lines_;  // of one record, its memory kept for the next
    std::string details_;
    std::atomic<std::uint64_t> unmarked_ = 0;
};

// What this process's requests do, until it is in the store: in memory, and what waits there for
// longer on the disk too.
class Journal {
public:
    struct Options {
        std::size_t disk_bytes_max = limits::journal_bytes;  // of all processes' folders together
        ClosedLog::Sizes sizes{};
        // Where memory that outlives the process is looked for; by default, where
        // journal_memory_of() says. Nothing: there is none.
        using FindMemory =
            std::function<std::optional<JournalMemory>(const std::filesystem::path& folder)>;
        FindMemory memory = &journal_memory_of;
        // By itself on a thread of its own, or when copy() is called.
        enum class Copies { by_itself, when_told } copies = Copies::by_itself;
        // For memory that is full when it should not be.
        MappedFile::Allocate allocate = &MappedFile::allocate_blocks;
    };
    // In `folder`, e.g. data/journal, which processes share. Whatever the disk says, requests can
    // be written down; what it says is logged.
    static std::unique_ptr<Journal> open(const std::filesystem::path& folder, Options options);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    // One for each request thread; it lives as long as the journal.
    JournalWriter* add_writer();

    // For the recorder.
    std::vector<JournalWriter*> writers() const;
    Wakeup* wakeup() { return &wakeup_; }

    const JournalPlaces& places() const { return places_; }
    JournalFolder* memory() { return memory_.get(); }
    JournalDisk* disk() { return &disk_; }
    OpenElsewhere* elsewhere() { return &elsewhere_; }
    Result<void> copy(Copying how) { return copy_.copy(how); }

private:
    Journal(JournalPlaces places, std::unique_ptr<JournalFolder> memory, Options options);

    JournalPlaces places_;
    std::unique_ptr<JournalFolder> memory_;  // before the writers: their files are in it
    Options options_;
    JournalDisk disk_;
    OpenElsewhere elsewhere_;
    Wakeup wakeup_;
    mutable std::mutex mutex_;  // for the list, not for what is in it
    std::vector<std::unique_ptr<JournalWriter>> writers_;
    JournalCopy copy_;  // last: its thread uses all of the above
};

}  // namespace runnel::storage
