#pragma once

#include "config/config.hpp"

#include <expected>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::cli {

// What LiteLLM's proxy config is in Runnel.
struct ImportedConfig {
    std::string yaml;
    std::vector<config::Problem> notes{};  // what is not, or not quite, carried over; by line
};

// `file` is what the old file is called in the new one's comments. Problems are what is wrong with
// the old file; then there is no new one. No secret of it is in the new one, nor in a message.
std::expected<ImportedConfig, std::vector<config::Problem>> import_litellm(std::string_view yaml,
                                                                           std::string_view file);

struct ImportOptions {
    std::string file;
    std::string output{};  // empty: stdout
};

// `runnel import litellm FILE`: the new config in a file or on `out`, notes on `err`. With a bad
// file nothing is written. The process's exit status.
int import_litellm(const ImportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace runnel::cli
