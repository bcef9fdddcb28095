#pragma once

#include "config/config.hpp"
#include "config/yaml_reader.hpp"

#include <optional>

namespace runnel::config {

// One entry of `providers:`; nothing when it has a problem.
std::optional<Provider> read_provider(const Entry& entry);

}  // namespace runnel::config
