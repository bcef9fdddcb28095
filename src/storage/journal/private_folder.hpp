#pragma once

#include <filesystem>
#include <system_error>

namespace runnel::storage {

// Makes a folder for this user alone, whatever the umask, and what is above it as usual: whoever
// could write to it could put files of theirs in the place of ours. One that is there stays as it
// is.
std::error_code make_private_folder(const std::filesystem::path& folder);

}  // namespace runnel::storage
