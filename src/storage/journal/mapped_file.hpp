#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

namespace runnel::storage {

// A file whose bytes are memory: what is stored there outlives the process, however it ends. Or
// memory alone, which does not.
class MappedFile {
public:
    // Makes sure that a file has its blocks on the disk; the error's number, or 0.
    using Allocate = std::function<int(int file, std::size_t bytes)>;
    static int allocate_blocks(int file, std::size_t bytes);

    MappedFile() = default;  // no file, no bytes
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    // A new one, all zeroes. It has all its blocks from the beginning: a disk that is full is an
    // error here, and never a signal when the memory is written.
    static Result<MappedFile> create(const std::filesystem::path& path, std::size_t bytes,
                                     const Allocate& allocate);
    // Without a file.
    static Result<MappedFile> memory(std::size_t bytes);

    char* data() { return data_; }
    std::string_view bytes() const { return {data_, size_}; }
    std::size_t size() const { return size_; }
    // The memory stays until this object goes.
    void unlink() const;

private:
    std::filesystem::path path_;
    char* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace runnel::storage
