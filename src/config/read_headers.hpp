#pragma once

#include "config/yaml_reader.hpp"

#include <string>
#include <utility>
#include <vector>

namespace runnel::config {

// `headers:` of whoever is asked: {name: value}. A value is not shown when it is wrong.
std::vector<std::pair<std::string, std::string>> read_headers(const Value& value);

}  // namespace runnel::config
