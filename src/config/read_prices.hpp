#pragma once

#include "config/yaml_reader.hpp"
#include "policy/settings.hpp"

namespace runnel::config {

// `prices`, `price_file`, `price_multiplier` and `tool_fees`: what models and tools cost.
void read_prices(const Section& file, policy::Settings& settings);

}  // namespace runnel::config
