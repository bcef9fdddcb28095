#include "storage/journal/memory.hpp"

#include "storage/journal/disk.hpp"
#include "storage/journal/folder.hpp"
#include "storage/journal/frame.hpp"
#include "storage/journal/private_folder.hpp"
#include "storage/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

namespace runnel::storage {
namespace {

namespace fs = std::filesystem;

const fs::path shared_memory = "/dev/shm";
constexpr std::string_view whose_file = "of";  // says whose journal it is

std::string name_prefix() { return fmt::format("runnel-journal-{}-", ::geteuid()); }

// Which folder it is, however it is called; empty: there is none. Its path alone is not enough:
// containers share this memory, and have the same paths.
std::string identity_of(const fs::path& folder) {
    struct stat status{};
    if (::stat(folder.c_str(), &status) != 0) return {};
    return fmt::format("{}:{} {}", status.st_dev, status.st_ino, folder.string());
}

bool is_in_use(const fs::path& memory) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(memory, ignored))
        if (entry.is_directory() && !FolderLock::take(entry.path())) return true;
    return false;
}

// A journal that was deleted leaves its memory behind. After a while, because whoever can't see a
// folder from here may yet come back to it.
void remove_what_is_left_behind() {
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    for (const auto& entry : fs::directory_iterator(shared_memory, error)) {
        const fs::path& memory = entry.path();
        if (!memory.filename().string().starts_with(name_prefix())) continue;
        const auto changed = fs::last_write_time(memory, error);
        if (error || now - changed < limits::left_behind_time || !is_own_folder(memory)) continue;
        const auto whose = read_file(memory / whose_file);
        if (whose && identity_of(whose->substr(whose->find(' ') + 1)) == *whose) continue;
        if (!is_in_use(memory)) fs::remove_all(memory, error);
    }
}

std::size_t room_in(const fs::path& folder) {
    struct statfs status{};
    if (::statfs(folder.c_str(), &status) != 0 || status.f_type != TMPFS_MAGIC) return 0;
    return static_cast<std::size_t>(status.f_bavail) * static_cast<std::size_t>(status.f_bsize);
}

}  // namespace

bool is_own_folder(const fs::path& folder) {
    struct stat status{};
    return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == ::geteuid() && (status.st_mode & 077) == 0;
}

void leave_journal_memory(const fs::path& folder) {
    std::error_code error;
    if (!fs::exists(folder / whose_file, error)) return;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().filename() != whose_file) return;
    fs::remove(folder / whose_file, error);
    ::rmdir(folder.c_str());
}

std::optional<JournalMemory> journal_memory_of(const fs::path& folder) {
    std::error_code ignored;
    const fs::path data = fs::weakly_canonical(folder, ignored).parent_path();
    make_private_folder(data);
    const std::string identity = identity_of(data);
    // Half of the room: it is others' too.
    const std::size_t bytes = std::min(room_in(shared_memory) / 2, limits::journal_memory_bytes);
    if (identity.empty() || bytes < limits::journal_memory_bytes_min) return std::nullopt;
    remove_what_is_left_behind();
    const fs::path memory =
        shared_memory / fmt::format("{}{:016x}", name_prefix(), checksum(identity));
    if (::mkdir(memory.c_str(), 0700) != 0 && errno != EEXIST) return std::nullopt;
    struct stat status{};
    // Made on the way to a folder in it, while the last process before was leaving.
    if (::lstat(memory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        status.st_uid == ::geteuid())
        ::chmod(memory.c_str(), 0700);
    if (!is_own_folder(memory)) return std::nullopt;
    std::ofstream(memory / whose_file) << identity;
    return JournalMemory{memory, bytes};
}

}  // namespace runnel::storage
