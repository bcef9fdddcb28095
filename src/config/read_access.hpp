#pragma once

#include "config/read_tool.hpp"
#include "config/yaml_reader.hpp"
#include "policy/settings.hpp"

#include <optional>

namespace runnel::config {

// `auth:`: who may ask at all.
std::optional<policy::AuthSettings> read_auth(const Value& value, const KnownTools& tools);

}  // namespace runnel::config
