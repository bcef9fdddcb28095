#pragma once

#include "config/config.hpp"
#include "config/yaml_reader.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace runnel::config {

// One entry of `models:`; nothing when it has a problem. `providers` are the names a target may
// begin with.
std::optional<Model> read_model(const Entry& entry, std::span<const std::string_view> providers);

// The default dialect, or a model's.
std::optional<std::string> read_dialect(const Value& value);

// Reports a target, as "openai/gpt-5-mini", that no provider of the config can be.
std::optional<std::string> read_target(const Value& value,
                                       std::span<const std::string_view> providers);

}  // namespace runnel::config
