#pragma once

#include "config/config.hpp"
#include "config/yaml_reader.hpp"

namespace runnel::config {

// `store`, `shared`, `cache` and `logs`: what is kept, where, and for how long.
void read_stores(const Section& file, AccessSettings& settings);

}  // namespace runnel::config
