#pragma once

#include "json/parser.hpp"
#include "timeline/usage.hpp"

#include <optional>

namespace runnel::provider {

// Reads the family's `usage` object, wherever a provider puts it and whatever it leaves out, into
// parts that do not overlap. Nothing when it holds no count.
std::optional<timeline::Usage> read_openai_usage(json::ondemand::value value);

}  // namespace runnel::provider
