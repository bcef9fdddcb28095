#pragma once

#include "config/config.hpp"
#include "config/yaml_reader.hpp"

namespace runnel::config {

// `metrics`: who may read them.
std::optional<Config::MetricsAccess> read_metrics_access(const Value& value);

}  // namespace runnel::config
