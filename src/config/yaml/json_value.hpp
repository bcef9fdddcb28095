#pragma once

#include "config/yaml/yaml_reader.hpp"

#include <string>

namespace runnel::config {

// A YAML value as JSON, types kept: 0.2 is a number and "0.2" a string. Numbers keep their digits
// where JSON can spell them so. What JSON has no word for (.inf, .nan) is reported and left out.
std::string json_of(const Value& value);

}  // namespace runnel::config
