#pragma once

#include "config/config.hpp"
#include "config/yaml/yaml_reader.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::config {

// One entry of `tools:`; nothing when it has a problem.
std::optional<tools::ToolConfig> read_tool(const Entry& entry);

// What a model's `tools` can name: the file's entries, also those that have problems of their own,
// and the built-in tools that need no entry. A view of the entries.
class KnownTools {
public:
    explicit KnownTools(std::span<const Entry> written);

    std::vector<std::string> read_names(const Value& value) const;

private:
    std::optional<std::string> read_name(const Value& value) const;

    std::vector<std::string_view> names_;
};

// Gives an entry to each built-in tool that a model names without one.
void add_built_in_tools(std::span<const Entry> written, Config& config);

}  // namespace runnel::config
