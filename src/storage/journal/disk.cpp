#include "storage/journal/disk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace runnel::storage {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> failed(std::string_view what, const fs::path& path, int error) {
    return fail(ErrorKind::store_unavailable,
                fmt::format("can't {} {}: {}", what, path.string(), std::strerror(error)));
}

// Closes it when it goes.
class Descriptor {
public:
    explicit Descriptor(int file) : file_(file) {}
    ~Descriptor() {
        if (file_ >= 0) ::close(file_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator int() const { return file_; }

private:
    int file_;
};

}  // namespace

JournalDisk::JournalDisk(const fs::path& all, const std::string& name, std::size_t bytes_max)
    : path_(all / name),
      bytes_max_(bytes_max) {}

JournalDisk::~JournalDisk() {
    if (lock_) FolderLock::remove(path_);
}

Result<void> JournalDisk::be_there() {
    if (lock_) return {};
    auto lock = FolderLock::make_folder(path_);
    if (!lock) return propagate(lock);
    lock_ = std::move(*lock);
    return {};
}

Result<void> JournalDisk::write(const std::string& file, std::size_t at, std::string_view bytes) {
    const std::size_t size = sizes_[file];
    const std::size_t after = std::max(size, at + bytes.size());
    if (bytes_ + others_ + (after - size) > bytes_max_)
        return fail(
            ErrorKind::store_unavailable,
            fmt::format("{} holds as much as it may (logs.journal)", path_.parent_path().string()));
    const fs::path path = path_of(file);
    const Descriptor to(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (to < 0) return failed("write", path, errno);
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(to, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return failed("write", path, written < 0 ? errno : EIO);
        bytes.remove_prefix(static_cast<std::size_t>(written));
        at += static_cast<std::size_t>(written);
    }
    sizes_[file] = after;
    bytes_ += after - size;
    return {};
}

void JournalDisk::remove(const std::string& file) {
    const auto known = sizes_.find(file);
    if (known == sizes_.end()) return;
    ::unlink(path_of(file).c_str());
    bytes_ -= known->second;
    sizes_.erase(known);
}

Result<std::string> read_file(const fs::path& path, std::size_t bytes_max) {
    const Descriptor from(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (from < 0) return failed("read", path, errno);
    struct stat status{};
    if (::fstat(from, &status) != 0) return failed("read", path, errno);
    std::string bytes(std::min(static_cast<std::size_t>(status.st_size), bytes_max), '\0');
    std::size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t count = ::read(from, bytes.data() + at, bytes.size() - at);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return failed("read", path, errno);
        if (count == 0) break;
        at += static_cast<std::size_t>(count);
    }
    bytes.resize(at);
    return bytes;
}

}  // namespace runnel::storage
