#pragma once

#include "access/auth_settings.hpp"
#include "config/read_tool.hpp"
#include "config/yaml_reader.hpp"

#include <optional>

namespace runnel::config {

// `auth:`: who may ask at all.
std::optional<access::AuthSettings> read_auth(const Value& value, const KnownTools& tools);

}  // namespace runnel::config
