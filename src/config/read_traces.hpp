#pragma once

#include "config/yaml_reader.hpp"

#include <optional>

namespace runnel::config {

// `traces:`: where spans of requests go.
std::optional<Traces> read_traces(const Value& value);

}  // namespace runnel::config
