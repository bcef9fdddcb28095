#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace runnel::storage {

// Memory that outlives a process and has a name, where those that keep their journal in one place
// find each other's: a folder in /dev/shm, which is nobody else's.
struct JournalMemory {
    std::filesystem::path folder;
    std::size_t bytes_max;  // that one process may use of it
};

// For the journal in `folder`, e.g. data/journal; nothing where there is no such memory.
std::optional<JournalMemory> journal_memory_of(const std::filesystem::path& folder);

// When a process ends: where it was the last one, nothing stays.
void leave_journal_memory(const std::filesystem::path& folder);

// Whether it is a folder that only this user can have made, and only he can look into.
bool is_own_folder(const std::filesystem::path& folder);

}  // namespace runnel::storage
