#pragma once

#include "storage/journal/disk.hpp"
#include "storage/journal/folder.hpp"
#include "storage/journal/mapped_file.hpp"
#include "storage/limits.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::storage {

// What the names of its files begin with.
inline constexpr std::string_view closed_files_kind = "closed";

// What is to be on the disk: all there is; only what has waited in memory for a while, because what
// the store takes at once need not be written twice; or what there is when the process ends.
enum class Copying { at_once, in_a_while, at_the_end };

// A queue of byte strings: one thread appends, another takes, a third copies what waits to the
// disk. It grows file by file in memory, and files whose strings are all kept elsewhere are
// removed. A file that is full and on the disk is let go of in memory until it is taken from there.
//
// How the threads meet: an entry is there when its frame's word is (release, acquire; see
// frame.hpp). The list of files is under a lock that nobody holds while he waits for anything.
class ClosedLog {
public:
    struct Sizes {
        std::size_t file_bytes = limits::journal_memory_file_bytes;
        std::chrono::milliseconds retry_time{1000};  // before memory that was full is asked again
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

    // By the one that copies.
    Result<void> copy_to(JournalDisk& disk, Copying how);

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
    std::shared_ptr<File> after(const File* file);
    void go_on_to(std::shared_ptr<File> next);
    Result<void> copy(File& file, JournalDisk& disk, Copying how);
    void let_go_of_memory(const std::shared_ptr<File>& file, JournalDisk& disk);

    JournalFolder* folder_;
    Sizes sizes_;

    // The writer's.
    alignas(64) std::shared_ptr<File> current_;
    std::size_t reserved_ = 0;
    std::chrono::steady_clock::time_point retry_at_{};
    std::atomic<std::uint64_t> appended_ = 0;
    std::atomic<std::uint64_t> lost_ = 0;

    // The reader's.
    alignas(64) std::shared_ptr<File> reading_;  // set under the lock
    std::size_t read_ = 0;                       // of reading_
    std::uint32_t read_entries_ = 0;
    std::uint64_t taken_ = 0;
    std::atomic<std::uint64_t> committed_ = 0;
    std::atomic<std::uint64_t> damaged_ = 0;

    alignas(64) std::mutex mutex_;
    std::deque<std::shared_ptr<File>> files_;
    std::vector<std::string> kept_elsewhere_;  // files that the disk need not have any longer
};

// Whether a file of a ClosedLog, of a process that may live, holds entries that are not kept
// elsewhere: by so many bytes of its beginning.
inline constexpr std::size_t closed_head_bytes = 64;
bool has_entries_that_wait(std::string_view head);

// What a file of a ClosedLog holds, read from a copy of its bytes after its process is gone. What
// is damaged is left out, and what follows it is found again.
class ClosedFileReader {
public:
    explicit ClosedFileReader(std::string_view file);

    std::optional<std::string_view> next();
    // Entries that it held and that can't be read any more; known at the end.
    std::uint64_t lost() const;

private:
    std::string_view file_;
    std::size_t at_ = 0;
    std::uint64_t kept_ = 0;      // so many need not be read
    std::uint64_t count_ = 0;     // so many there were at least
    std::vector<bool> seen_;      // by number
    std::uint64_t found_ = 0;     // of those that were not kept
    bool count_is_told_ = false;  // else there may be more of them
    bool is_strange_ = false;     // nobody knows how many there were
};

}  // namespace runnel::storage
