#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::config {

// A file that the config names, read while the process starts. The error says what is wrong with
// it.
std::expected<std::string, std::string> read_text_file(const std::string& path,
                                                       std::size_t bytes_max);

// Its lines, without white space around them. Views of `text`.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace runnel::config
