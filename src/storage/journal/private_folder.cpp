#include "storage/journal/private_folder.hpp"

#include <cerrno>

#include <sys/stat.h>

namespace runnel::storage {

std::error_code make_private_folder(const std::filesystem::path& folder) {
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) return {};
    std::filesystem::create_directories(folder.parent_path(), error);  // mkdir says what is wrong
    if (::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST) return {};
    return {errno, std::generic_category()};
}

}  // namespace runnel::storage
