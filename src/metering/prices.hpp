#pragma once

#include "base/money.hpp"
#include "base/result.hpp"
#include "metering/price.hpp"
#include "metering/price_list.hpp"
#include "metering/settings.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::metering {

// What models and tools cost: what the config says, else its price file, else the table that ships
// with Runnel. Never changes once built; shared by all threads.
class Prices {
public:
    explicit Prices(const PriceSettings& settings, PriceList price_file = {});

    // Of a provider's model. `provider` is its name in the config, `kind` what it speaks. None: not
    // known, so what a request costs is not known either.
    std::optional<Price> find(std::string_view provider, std::string_view kind,
                              std::string_view model) const;

    // For one run of a tool; none: it is free.
    std::optional<Money> tool_fee(std::string_view tool) const;

private:
    const Price* find_configured(std::string_view provider, std::string_view model) const;

    std::vector<std::pair<std::string, Price>> configured_;
    PriceList file_;
    std::vector<std::pair<std::string, Money>> tool_fees_;
    double multiplier_;
};

// The same, with the price file that the settings name, read from the disk.
Result<Prices> load_prices(const PriceSettings& settings);

}  // namespace runnel::metering
