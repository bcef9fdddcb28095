#include "base/limits.hpp"
#include "config/sections/sections.hpp"
#include "config/text_file.hpp"
#include "metering/price_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::config {
namespace {

using metering::Price;
using metering::TokenPrices;

constexpr std::size_t price_file_bytes = 64 * limits::mib;  // LiteLLM's has two

// US dollars per million tokens, as providers' pages have them; or per token, as LiteLLM's file.
struct Name {
    std::string_view ours;
    std::string_view litellm;
};
constexpr Name input{"input", "input_cost_per_token"};
constexpr Name output{"output", "output_cost_per_token"};
constexpr Name cache_read{"cache_read", "cache_read_input_token_cost"};
constexpr Name cache_write{"cache_write", "cache_creation_input_token_cost"};
constexpr Name reasoning{"reasoning", "output_cost_per_reasoning_token"};
constexpr Name names[] = {input, output, cache_read, cache_write, reasoning};

constexpr std::string_view keys_of_price[] = {
    input.ours,          output.ours,       cache_read.ours, cache_write.ours,
    reasoning.ours,      input.litellm,     output.litellm,  cache_read.litellm,
    cache_write.litellm, reasoning.litellm, "per_request",   "long_input"};
constexpr std::string_view keys_of_long_input[] = {
    "above", input.ours, output.ours, cache_read.ours, cache_write.ours, reasoning.ours};

constexpr double per_million = 1e-6;
constexpr double per_million_max = 10'000;
constexpr double per_token_max = per_million_max * per_million;
constexpr double fee_max = 1'000;
constexpr double multiplier_max = 1'000;
constexpr std::int64_t input_tokens_max = 1'000'000'000;

std::optional<double> read_per_million(const Value& value) {
    const auto usd = value.number(0, per_million_max);
    if (!usd) return std::nullopt;
    return *usd * per_million;
}

std::optional<double> read_per_token(const Value& value) { return value.number(0, per_token_max); }

std::optional<double> read_fee(const Value& value) { return value.number(0, fee_max); }

TokenPrices read_token_prices(const Section& section) {
    TokenPrices prices;
    const auto read = [&](const Name& name, auto& out) {
        section.read(name.ours, read_per_million, out);
        section.read(name.litellm, read_per_token, out);
    };
    read(input, prices.input);
    read(output, prices.output);
    read(cache_read, prices.cache_read);
    read(cache_write, prices.cache_write);
    read(reasoning, prices.reasoning);
    return prices;
}

std::optional<Price::LongInput> read_long_input(const Value& value) {
    const auto section = value.section(keys_of_long_input);
    if (!section) return std::nullopt;
    if (!section->find("above") || !section->find("input") || !section->find("output"))
        value.complain("long_input needs above (a number of tokens), input and output");
    const auto tokens = [](const Value& count) { return count.whole_number(1, input_tokens_max); };
    Price::LongInput long_input;
    section->read("above", tokens, long_input.above_tokens);
    long_input.tokens = read_token_prices(*section);
    return long_input;
}

// Half of a price would make the other half free.
void check_names(const Value& value, const Section& section) {
    const bool ours =
        std::ranges::any_of(names, [&](const Name& name) { return section.find(name.ours); });
    const Value* theirs = nullptr;
    for (const Name& name : names)
        if (const Value* found = section.find(name.litellm)) theirs = found;
    if (ours && theirs)
        theirs->complain("write all prices per million tokens (input, output, …) or all per token "
                         "(input_cost_per_token, …)");
    const std::string_view input_name = theirs ? input.litellm : input.ours;
    const std::string_view output_name = theirs ? output.litellm : output.ours;
    if (!section.find(input_name) || !section.find(output_name))
        value.complain("a price needs input and output, in US dollars per million tokens, such as "
                       "{input: 3.00, output: 15.00}");
}

std::optional<Price> read_price(const Value& value) {
    const auto section = value.section(keys_of_price);
    if (!section) return std::nullopt;
    check_names(value, *section);
    Price price;
    price.tokens = read_token_prices(*section);
    section->read("per_request", read_fee, price.per_request);
    section->read("long_input", read_long_input, price.long_input);
    return price;
}

// Its name. It is read to see whether it can be: whoever needs the prices reads it again.
std::optional<std::string> read_price_file(const Value& value) {
    auto path = value.some_text();
    if (!path) return std::nullopt;
    const auto text = read_text_file(*path, price_file_bytes);
    if (!text) {
        value.complain(text.error());
        return std::nullopt;
    }
    if (const auto prices = metering::read_price_file(*text); !prices) {
        value.complain(fmt::format("{}: {}", *path, prices.error().message));
        return std::nullopt;
    }
    return path;
}

}  // namespace

void read_prices(const Section& file, metering::PriceSettings& settings) {
    if (const Value* prices = file.find("prices"))
        for (const Entry& entry : prices->entries())
            if (const auto price = read_price(entry.value))
                settings.list.emplace_back(entry.key, *price);
    if (const Value* fees = file.find("tool_fees"))
        for (const Entry& entry : fees->entries())
            if (const auto usd = read_fee(entry.value))
                settings.tool_fees.emplace_back(entry.key, Money::from_usd(*usd));
    const auto multiplier = [](const Value& value) { return value.number(0, multiplier_max); };
    file.read("price_file", read_price_file, settings.file);
    file.read("price_multiplier", multiplier, settings.multiplier);
}

}  // namespace runnel::config
