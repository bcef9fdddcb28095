#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"
#include "store/mapped_file.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace runnel::store {

// Says to other processes that a folder is somebody's, for as long as this one lives: the system
// lets go of it when the process ends, however it does.
class FolderLock {
public:
    FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    FolderLock& operator=(FolderLock&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    ~FolderLock();

    // In a folder that nobody else knows yet.
    static Result<FolderLock> create(const std::filesystem::path& folder);
    // Of a folder that somebody made; nothing where he lives, or another process has it already.
    static std::optional<FolderLock> take(const std::filesystem::path& folder);
    // Removes the lock and the folder with it, if nothing else is in there.
    static void remove(const std::filesystem::path& folder);

    static constexpr std::string_view file_name = "lock";

private:
    explicit FolderLock(int file) : file_(file) {}
    int file_;
};

// Where a process keeps its part of the journal: a folder of its own beside those of other
// processes, living and dead. Shared by all threads.
class JournalFolder {
public:
    struct Options {
        std::size_t bytes_max = limits::journal_bytes;  // of all processes' folders together
        MappedFile::Allocate allocate = &MappedFile::allocate_blocks;
    };
    // `journal` is made where there is none.
    static Result<std::unique_ptr<JournalFolder>> create(const std::filesystem::path& journal,
                                                         Options options);
    // What is left in it waits for the next process.
    ~JournalFolder();
    JournalFolder(const JournalFolder&) = delete;
    JournalFolder& operator=(const JournalFolder&) = delete;

    // The name begins with `kind`, and is not used twice. Fails where the disk, or what may be used
    // of it, is full.
    Result<MappedFile> make_file(std::string_view kind, std::size_t bytes);
    void remove(const MappedFile& file);

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path journal() const { return path_.parent_path(); }
    std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
    // What the folders of other processes hold, which counts too.
    void set_others_bytes(std::size_t bytes) { others_.store(bytes, std::memory_order_relaxed); }

private:
    JournalFolder(std::filesystem::path path, Options options, FolderLock lock);

    std::filesystem::path path_;
    Options options_;
    FolderLock lock_;
    std::atomic<std::size_t> bytes_ = 0;
    std::atomic<std::size_t> others_ = 0;
    std::atomic<unsigned> files_made_ = 0;
};

}  // namespace runnel::store
