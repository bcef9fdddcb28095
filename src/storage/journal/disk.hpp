#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"
#include "storage/journal/folder.hpp"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace runnel::storage {

// A process's part of the journal on the disk: copies of its files in memory, and those that memory
// has no room for. Every call may wait for the disk. For one thread, but for the figures.
class JournalDisk {
public:
    // In `all`, which processes share; nothing is made before the first byte is written.
    JournalDisk(const std::filesystem::path& all, const std::string& name,
                std::size_t bytes_max = limits::journal_bytes);
    // What is left in it waits for the next process.
    ~JournalDisk();
    JournalDisk(const JournalDisk&) = delete;
    JournalDisk& operator=(const JournalDisk&) = delete;

    // The folder, with its lock.
    Result<void> be_there();
    // Fails where the disk, or what may be used of it, is full.
    Result<void> write(const std::string& file, std::size_t at, std::string_view bytes);
    void remove(const std::string& file);

    std::filesystem::path path_of(const std::string& file) const { return path_ / file; }
    std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
    // What the folders of other processes hold, which counts too.
    void set_others_bytes(std::size_t bytes) { others_.store(bytes, std::memory_order_relaxed); }

private:
    std::filesystem::path path_;
    std::size_t bytes_max_;
    std::optional<FolderLock> lock_;
    std::unordered_map<std::string, std::size_t> sizes_;  // of its files
    std::atomic<std::size_t> bytes_ = 0;
    std::atomic<std::size_t> others_ = 0;
};

// A file's bytes, or the first of them.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t bytes_max = ~std::size_t{0});

}  // namespace runnel::storage
