#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace runnel::config {

// The keys of a map that stands where a secret would: {file: PATH}, {credential: NAME}.
inline constexpr std::string_view ways_to_secrets[] = {"file", "credential"};

// What a file holds whose content is a secret, without the line break at its end. The error says
// what is wrong with the file and what to do, never what is in it.
std::expected<std::string, std::string> read_secret_file(const std::string& path);

}  // namespace runnel::config
