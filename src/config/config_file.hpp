#pragma once

#include "config/config.hpp"

#include <expected>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::config {

// A config file's text. One that can't be read at all is a problem of line 0.
std::expected<std::string, std::vector<Problem>> read_config_text(std::string_view path);

// Reads and checks the config file at `path`, with the process's environment.
std::expected<Config, std::vector<Problem>> read_config_file(std::string_view path);

// Where the relative paths of a config file begin.
std::string folder_of(std::string_view path);

// What a config that comes from no file would look like in one.
std::string text_of_defaults(const Config& config);

// FILE:LINE:COL: message, or FILE: message.
std::string describe(std::string_view path, const Problem& problem);

// The same, for commands: what is wrong goes to `err`, one problem a line; then there is no config.
std::optional<Config> load_config(std::string_view path, std::ostream& err);

// The process's environment, as the config wants it.
const char* environment(const char* name);

}  // namespace runnel::config
