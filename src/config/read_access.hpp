#pragma once

#include "config/yaml_reader.hpp"
#include "policy/settings.hpp"

#include <optional>

namespace runnel::config {

// `auth:`: who may ask at all.
std::optional<policy::AuthSettings> read_auth(const Value& value);

}  // namespace runnel::config
