#pragma once

#include "store/journal_folder.hpp"
#include "store/mapped_file.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace runnel::store {

// What the names of its files begin with.
inline constexpr std::string_view closed_files_kind = "closed";

// A queue of byte strings on the disk: one thread appends, one other takes. It grows file by file,
// and the files whose strings are all kept elsewhere are used again or removed.
//
// How the two threads meet: an entry is there when its frame's word is (release, acquire; see
// frame.hpp); a file's successor is stored (release) after its last entry, so a reader that found
// it (acquire) has seen all entries of the file. Empty files go back through `spare_` (release by
// the reader, acquire by the writer), zeroed. Nothing else is shared but counters.
class ClosedLog {
public:
    struct Sizes {
        std::size_t file_bytes = limits::journal_file_bytes;
        std::chrono::milliseconds retry_time{1000};  // before a disk that was full is asked again
    };
    ClosedLog(JournalFolder* folder, Sizes sizes);
    ~ClosedLog();
    ClosedLog(const ClosedLog&) = delete;
    ClosedLog& operator=(const ClosedLog&) = delete;

    // These by the thread that appends.

    // Room for so many bytes, which publish() makes an entry; null: there is none, and the entry is
    // counted as lost.
    char* reserve(std::size_t bytes);
    void publish();

    // These by the one that takes.

    // The next entry, if there is one; it stays where it is until commit().
    std::optional<std::string_view> take();
    // All that were taken are kept elsewhere.
    void commit();

    // These by any.

    std::uint64_t appended() const { return appended_.load(std::memory_order_seq_cst); }
    std::uint64_t committed() const { return committed_.load(std::memory_order_relaxed); }
    // There was no room for them, or somebody else wrote over them.
    std::uint64_t lost() const {
        return lost_.load(std::memory_order_relaxed) + damaged_.load(std::memory_order_relaxed);
    }

private:
    struct File;

    bool begin_file(std::size_t bytes);
    void let_go(File* file);

    JournalFolder* folder_;
    Sizes sizes_;

    // The writer's.
    alignas(64) File* current_;
    std::size_t reserved_ = 0;
    std::chrono::steady_clock::time_point retry_at_{};
    std::atomic<std::uint64_t> appended_ = 0;
    std::atomic<std::uint64_t> lost_ = 0;

    // The reader's.
    alignas(64) File* oldest_;
    File* reading_;
    std::size_t read_ = 0;  // of reading_
    std::uint64_t taken_ = 0;
    std::atomic<std::uint64_t> committed_ = 0;
    std::atomic<std::uint64_t> damaged_ = 0;

    alignas(64) std::atomic<File*> spare_ = nullptr;
};

// What a file of a ClosedLog holds, read from a copy of its bytes after its process is gone. Stops
// at the first bytes that can't be told; entries that are damaged are counted and left out.
class ClosedFileReader {
public:
    explicit ClosedFileReader(std::string_view file);

    std::optional<std::string_view> next();
    std::uint64_t damaged() const { return damaged_; }

private:
    std::string_view file_;
    std::size_t at_;
    std::uint64_t damaged_ = 0;
};

}  // namespace runnel::store
