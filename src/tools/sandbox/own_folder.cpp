#include "tools/sandbox/own_folder.hpp"

#include <cstdlib>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace runnel::tools {

std::optional<OwnFolder> OwnFolder::make(std::optional<Owner> owner) {
    std::error_code error;
    std::string path = std::filesystem::temp_directory_path(error) / "runnel-tool-XXXXXX";
    if (error || ::mkdtemp(path.data()) == nullptr) return std::nullopt;
    OwnFolder folder(std::move(path));
    if (owner && ::lchown(folder.path_.c_str(), owner->user, owner->group) != 0)
        return std::nullopt;
    return folder;
}

OwnFolder::OwnFolder(OwnFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

OwnFolder& OwnFolder::operator=(OwnFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

// Links in it are removed, and not followed.
OwnFolder::~OwnFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace runnel::tools
