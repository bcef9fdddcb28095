#include "storage/journal/folder.hpp"

#include "storage/journal/memory.hpp"
#include "storage/journal/private_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace runnel::storage {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannot_make(const fs::path& path, std::string_view reason) {
    return fail(ErrorKind::store_unavailable,
                fmt::format("can't make {}: {}; `data` in the config says where it should be",
                            path.string(), reason));
}

}  // namespace

// Process ids come again, and those of two containers are often equal.
std::string new_journal_name() {
    std::random_device random;
    return fmt::format("{}-{:08x}{:08x}", ::getpid(), random(), random());
}

FolderLock::~FolderLock() {
    if (file_ >= 0) ::close(file_);
}

Result<FolderLock> FolderLock::create(const fs::path& folder) {
    const fs::path path = folder / file_name;
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return cannot_make(path, std::strerror(errno));
    FolderLock lock(file);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) return cannot_make(path, std::strerror(errno));
    return lock;
}

std::optional<FolderLock> FolderLock::take(const fs::path& folder) {
    const int file = ::open((folder / file_name).c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    FolderLock lock(file);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) return std::nullopt;
    return lock;
}

void FolderLock::remove(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().filename() != file_name) return;
    fs::remove(folder / file_name, ignored);
    fs::remove(folder, ignored);
}

Result<FolderLock> FolderLock::make_folder(const fs::path& folder) {
    // Others look at folders whose lock is free: it gets its name when it has one that is not.
    const fs::path unnamed = folder.parent_path() / ("." + folder.filename().string());
    std::error_code error = make_private_folder(folder.parent_path());
    if (!error) error = make_private_folder(unnamed);
    if (error) return cannot_make(unnamed, error.message());
    auto lock = create(unnamed);
    if (lock) fs::rename(unnamed, folder, error);
    if (lock && !error) return lock;
    std::error_code ignored;
    fs::remove_all(unnamed, ignored);
    if (!lock) return lock;
    return cannot_make(folder, error.message());
}

JournalFolder::JournalFolder(fs::path path, Options options, std::optional<FolderLock> lock)
    : path_(std::move(path)),
      options_(std::move(options)),
      lock_(std::move(lock)) {}

JournalFolder::~JournalFolder() {
    if (path_.empty()) return;
    FolderLock::remove(path_);
    leave_journal_memory(path_.parent_path());
}

Result<std::unique_ptr<JournalFolder>>
JournalFolder::create(const fs::path& all, std::string_view name, Options options) {
    auto lock = FolderLock::make_folder(all / name);
    if (!lock) return propagate(lock);
    return std::unique_ptr<JournalFolder>(
        new JournalFolder(all / name, std::move(options), std::move(*lock)));
}

std::unique_ptr<JournalFolder> JournalFolder::without_folder(Options options) {
    return std::unique_ptr<JournalFolder>(new JournalFolder({}, std::move(options), std::nullopt));
}

Result<JournalFolder::File> JournalFolder::make_file(std::string_view kind, std::size_t bytes) {
    const auto give_back = [&] { bytes_.fetch_sub(bytes, std::memory_order_relaxed); };
    const std::size_t before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes > options_.bytes_max) {
        give_back();
        return fail(ErrorKind::store_unavailable, "the journal holds as much in memory as it may");
    }
    std::string name =
        fmt::format("{}-{}", kind, files_made_.fetch_add(1, std::memory_order_relaxed));
    auto made = path_.empty() ? MappedFile::memory(bytes)
                              : MappedFile::create(path_ / name, bytes, options_.allocate);
    if (!made) {
        give_back();
        return propagate(made);
    }
    return File{std::move(*made), std::move(name)};
}

void JournalFolder::remove(const MappedFile& file) {
    file.unlink();
    bytes_.fetch_sub(file.size(), std::memory_order_relaxed);
}

}  // namespace runnel::storage
