#pragma once

#include "config/config.hpp"
#include "config/yaml_reader.hpp"

namespace runnel::config {

// `providers`, `models`, `tools`, `aliases` and `default_model`: who can be asked, and by which
// names, with which tools; and `auth`: who may ask.
void read_routes(const Section& file, Config& config);

}  // namespace runnel::config
