#pragma once

#include "config/yaml_reader.hpp"
#include "metering/settings.hpp"

namespace runnel::config {

// `prices`, `price_file`, `price_multiplier` and `tool_fees`: what models and tools cost.
void read_prices(const Section& file, metering::PriceSettings& settings);

}  // namespace runnel::config
