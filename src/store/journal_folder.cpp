#include "store/journal_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace runnel::store {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannot_make(const fs::path& path, std::string_view reason) {
    return fail(ErrorKind::store_unavailable,
                fmt::format("can't make {}: {}; `data` in the config says where it should be",
                            path.string(), reason));
}

// Process ids come again, and those of two containers are often equal.
std::string unique_name() {
    std::random_device random;
    return fmt::format("{}-{:08x}{:08x}", ::getpid(), random(), random());
}

}  // namespace

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

JournalFolder::JournalFolder(fs::path path, Options options, FolderLock lock)
    : path_(std::move(path)),
      options_(std::move(options)),
      lock_(std::move(lock)) {}

JournalFolder::~JournalFolder() { FolderLock::remove(path_); }

Result<std::unique_ptr<JournalFolder>> JournalFolder::create(const fs::path& journal,
                                                             Options options) {
    const std::string name = unique_name();
    // Others look at folders whose lock is free: it gets its name when it has one that is not.
    const fs::path unnamed = journal / ("." + name);
    std::error_code error;
    fs::create_directories(unnamed, error);
    if (error) return cannot_make(unnamed, error.message());
    fs::permissions(unnamed, fs::perms::owner_all, error);
    auto lock = FolderLock::create(unnamed);
    if (!lock) return propagate(lock);
    fs::rename(unnamed, journal / name, error);
    if (error) return cannot_make(journal / name, error.message());
    return std::unique_ptr<JournalFolder>(
        new JournalFolder(journal / name, std::move(options), std::move(*lock)));
}

Result<MappedFile> JournalFolder::make_file(std::string_view kind, std::size_t bytes) {
    const auto give_back = [&] { bytes_.fetch_sub(bytes, std::memory_order_relaxed); };
    const std::size_t before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + others_.load(std::memory_order_relaxed) + bytes > options_.bytes_max) {
        give_back();
        return fail(ErrorKind::store_unavailable,
                    fmt::format("{} holds as much as it may", journal().string()));
    }
    const unsigned number = files_made_.fetch_add(1, std::memory_order_relaxed);
    auto made =
        MappedFile::create(path_ / fmt::format("{}-{}", kind, number), bytes, options_.allocate);
    if (!made) give_back();
    return made;
}

void JournalFolder::remove(const MappedFile& file) {
    file.unlink();
    bytes_.fetch_sub(file.size(), std::memory_order_relaxed);
}

}  // namespace runnel::store
