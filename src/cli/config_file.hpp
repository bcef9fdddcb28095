#pragma once

#include "config/config.hpp"

#include <optional>
#include <ostream>
#include <string_view>

namespace runnel::cli {

// Reads and checks the config file at `path`, with the process's environment. What is wrong goes to
// `err`, one problem a line, as FILE:LINE:COL: message; then there is no config.
std::optional<config::Config> load_config(std::string_view path, std::ostream& err);

}  // namespace runnel::cli
