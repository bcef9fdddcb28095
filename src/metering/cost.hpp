#pragma once

#include "base/money.hpp"
#include "metering/price.hpp"
#include "timeline/usage.hpp"

#include <cstdint>
#include <vector>

namespace runnel::metering {

// What an answer cost, a line for each part of it that was used and has a price.
std::vector<CostLine> cost_of(const timeline::Usage& usage, const Price& price);

// Beside it, for a tool that the gateway ran so often.
CostLine tool_fee(std::string_view tool, std::int64_t runs, Money each);

// The most that so many tokens can cost, whatever part of them the provider's cache takes.
Money most_expensive(std::int64_t input_tokens, std::int64_t output_tokens, const Price& price);

}  // namespace runnel::metering
