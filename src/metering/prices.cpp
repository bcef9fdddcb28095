#include "metering/prices.hpp"

#include "metering/price_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace runnel::metering {
namespace {

// Kinds whose models go by another kind's names and prices.
std::string_view priced_as(std::string_view kind) {
    if (kind == "azure") return "openai";
    if (kind == "kimi") return "moonshot";
    return kind;
}

std::optional<Price> find_in(const PriceList& list, std::string_view kind, std::string_view model) {
    if (auto price = list.find(kind, model)) return price;
    return list.find(priced_as(kind), model);
}

// How well a name of the config fits, 0 not at all: best a whole provider/model, then a whole
// model, then the longest beginning of one or the other, with a * behind it.
std::size_t fit(std::string_view written, std::string_view model, std::string_view full_name) {
    constexpr std::size_t best = std::string_view::npos;
    if (written == full_name) return best;
    if (written == model) return best - 1;
    if (!written.ends_with('*')) return 0;
    const std::string_view beginning = written.substr(0, written.size() - 1);
    const bool fits = model.starts_with(beginning) || full_name.starts_with(beginning);
    return fits ? written.size() : 0;
}

TokenPrices times(TokenPrices prices, double factor) {
    for (double* price : {&prices.input, &prices.output}) *price *= factor;
    for (std::optional<double>* price :
         {&prices.cache_read, &prices.cache_write, &prices.reasoning})
        if (*price) **price *= factor;
    return prices;
}

Price times(Price price, double factor) {
    if (factor == 1) return price;
    price.tokens = times(price.tokens, factor);
    if (price.long_input) price.long_input->tokens = times(price.long_input->tokens, factor);
    price.per_request *= factor;
    return price;
}

}  // namespace

Prices::Prices(const PriceSettings& settings, PriceList price_file)
    : configured_(settings.list),
      file_(std::move(price_file)),
      tool_fees_(settings.tool_fees),
      multiplier_(settings.multiplier) {}

const Price* Prices::find_configured(std::string_view provider, std::string_view model) const {
    const std::string full_name = fmt::format("{}/{}", provider, model);
    const Price* best = nullptr;
    std::size_t best_fit = 0;
    for (const auto& [written, price] : configured_) {
        const std::size_t how_well = fit(written, model, full_name);
        if (how_well > best_fit) best = &price;
        best_fit = std::max(best_fit, how_well);
    }
    return best;
}

std::optional<Price> Prices::find(std::string_view provider, std::string_view kind,
                                  std::string_view model) const {
    if (const Price* price = find_configured(provider, model)) return times(*price, multiplier_);
    auto price = find_in(file_, kind, model);
    if (!price) price = find_in(built_in_prices(), kind, model);
    if (price) *price = times(*price, multiplier_);
    return price;
}

std::optional<Money> Prices::tool_fee(std::string_view tool) const {
    const auto found = std::ranges::find(tool_fees_, tool, &std::pair<std::string, Money>::first);
    return found == tool_fees_.end() ? std::nullopt : std::optional(found->second);
}

Result<Prices> load_prices(const PriceSettings& settings) {
    if (settings.file.empty()) return Prices(settings);
    std::ifstream file(settings.file, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        return fail(ErrorKind::invalid_value,
                    fmt::format("the price file {} can't be read", settings.file));
    auto list = read_price_file(std::move(text).str());
    if (!list) {
        list.error().message = fmt::format("{}: {}", settings.file, list.error().message);
        return propagate(list);
    }
    return Prices(settings, std::move(*list));
}

}  // namespace runnel::metering
