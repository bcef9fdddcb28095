#include "metering/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace runnel::metering {
namespace {

const TokenPrices& prices_for(const Price& price, std::int64_t input_tokens) {
    const bool is_long = price.long_input && input_tokens > price.long_input->above_tokens;
    return is_long ? price.long_input->tokens : price.tokens;
}

Money amount_of(std::int64_t quantity, double unit_price) {
    return Money::from_usd(static_cast<double>(quantity) * unit_price);
}

}  // namespace

std::vector<CostLine> cost_of(const timeline::Usage& usage, const Price& price) {
    const TokenPrices& prices = prices_for(price, usage.input());
    std::vector<CostLine> lines;
    const auto add = [&](std::string_view sku, std::int64_t quantity, double unit_price,
                         std::string_view description) {
        if (quantity > 0)
            lines.push_back({std::string(sku), quantity, unit_price,
                             amount_of(quantity, unit_price), std::string(description)});
    };
    // Reasoning without a price of its own is output like any other.
    const std::int64_t reasoning = prices.reasoning ? usage.reasoning.value_or(0) : 0;
    add("input", usage.fresh_input, prices.input, "Input tokens");
    add("cache_read", usage.cache_read.value_or(0), prices.cache_read.value_or(prices.input),
        "Input tokens read from the provider's cache");
    add("cache_write", usage.cache_write.value_or(0), prices.cache_write.value_or(prices.input),
        "Input tokens written to the provider's cache");
    add("output", usage.output - reasoning, prices.output, "Output tokens");
    add("reasoning", reasoning, prices.reasoning.value_or(0), "Output tokens of reasoning");
    if (price.per_request > 0) add("request", 1, price.per_request, "Request");
    return lines;
}

CostLine tool_fee(std::string_view tool, std::int64_t runs, Money each) {
    return {fmt::format("tool:{}", tool), runs, each.usd(), Money{each.nano_usd * runs},
            fmt::format("Runs of the tool {}", tool)};
}

Money most_expensive(std::int64_t input_tokens, std::int64_t output_tokens, const Price& price) {
    const TokenPrices& prices = prices_for(price, input_tokens);
    const double input =
        std::max({prices.input, prices.cache_read.value_or(0), prices.cache_write.value_or(0)});
    const double output = std::max(prices.output, prices.reasoning.value_or(0));
    return amount_of(input_tokens, input) + amount_of(output_tokens, output) +
           Money::from_usd(price.per_request);
}

}  // namespace runnel::metering
