#include "storage/journal/mapped_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace runnel::storage {

int MappedFile::allocate_blocks(int file, std::size_t bytes) {
    return ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(data_, size_);
}

Result<MappedFile> MappedFile::create(const std::filesystem::path& path, std::size_t bytes,
                                      const Allocate& allocate) {
    const auto failed = [&](int error) {
        return fail(ErrorKind::store_unavailable,
                    fmt::format("can't make {}: {}", path.string(), std::strerror(error)));
    };
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return failed(errno);
    int error = allocate(file, bytes);
    void* data = MAP_FAILED;
    if (error == 0) {
        data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
        if (data == MAP_FAILED) error = errno;
    }
    ::close(file);  // the mapping stays
    if (error != 0) {
        ::unlink(path.c_str());
        return failed(error);
    }
    MappedFile made;
    made.path_ = path;
    made.data_ = static_cast<char*>(data);
    made.size_ = bytes;
    return made;
}

Result<MappedFile> MappedFile::memory(std::size_t bytes) {
    void* const data =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return fail(ErrorKind::store_unavailable,
                    fmt::format("no memory for the journal: {}", std::strerror(errno)));
    MappedFile made;
    made.data_ = static_cast<char*>(data);
    made.size_ = bytes;
    return made;
}

void MappedFile::unlink() const {
    if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace runnel::storage
