#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"
#include "storage/journal/mapped_file.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace runnel::storage {

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

    // Makes a folder with a lock that is taken; nobody sees it without.
    static Result<FolderLock> make_folder(const std::filesystem::path& folder);
    // Of a folder that somebody made; nothing where he lives, or another process has it already.
    static std::optional<FolderLock> take(const std::filesystem::path& folder);
    // Removes the lock and the folder with it, if nothing else is in there.
    static void remove(const std::filesystem::path& folder);

    static constexpr std::string_view file_name = "lock";

private:
    explicit FolderLock(int file) : file_(file) {}
    static Result<FolderLock> create(const std::filesystem::path& folder);
    int file_;
};

// The name under which a process keeps its part of the journal, here and there. No other has it.
std::string new_journal_name();

// Where a process keeps the files of the journal that its requests write to: memory, be it that of
// a folder beside those of other processes, living and dead, or its own alone. Shared by all
// threads.
class JournalFolder {
public:
    struct Options {
        std::size_t bytes_max = limits::journal_bytes;
        MappedFile::Allocate allocate = &MappedFile::allocate_blocks;
    };
    // `all` is made where there is none.
    static Result<std::unique_ptr<JournalFolder>> create(const std::filesystem::path& all,
                                                         std::string_view name, Options options);
    // Without a folder: what is in it ends with the process.
    static std::unique_ptr<JournalFolder> without_folder(Options options);
    // What is left in it waits for the next process.
    ~JournalFolder();
    JournalFolder(const JournalFolder&) = delete;
    JournalFolder& operator=(const JournalFolder&) = delete;

    struct File {
        MappedFile memory;
        std::string name;
    };
    // The name begins with `kind`, and is not used twice. Fails where there is no more room.
    Result<File> make_file(std::string_view kind, std::size_t bytes);
    void remove(const MappedFile& file);

    // Empty: there is none.
    const std::filesystem::path& path() const { return path_; }
    std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

private:
    JournalFolder(std::filesystem::path path, Options options, std::optional<FolderLock> lock);

    std::filesystem::path path_;
    Options options_;
    std::optional<FolderLock> lock_;
    std::atomic<std::size_t> bytes_ = 0;
    std::atomic<unsigned> files_made_ = 0;
};

}  // namespace runnel::storage
