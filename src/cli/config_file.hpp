#pragma once

#include "config/config.hpp"

#include <expected>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::cli {

// Reads and checks the config file at `path`, with the process's environment. A file that can't be
// read at all is a problem of line 0.
std::expected<config::Config, std::vector<config::Problem>> read_config_file(std::string_view path);

// FILE:LINE:COL: message, or FILE: message.
std::string describe(std::string_view path, const config::Problem& problem);

// The same, for commands: what is wrong goes to `err`, one problem a line; then there is no config.
std::optional<config::Config> load_config(std::string_view path, std::ostream& err);

// The process's environment, as the config wants it.
const char* environment(const char* name);

}  // namespace runnel::cli
