#pragma once

#include "config/yaml_reader.hpp"
#include "policy/settings.hpp"

namespace runnel::config {

// `store`, `shared`, `cache` and `logs`: what is kept, where, and for how long.
void read_stores(const Section& file, policy::Settings& settings);

}  // namespace runnel::config
