#pragma once

#include "metering/price.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::metering {

// Prices by kind of provider and model.
class PriceList {
public:
    void set(std::string_view kind, std::string_view model, const Price& price);

    // Of the model itself, else of the longest name that it is a version of:
    // gpt-5-mini-2025-08-07 is gpt-5-mini, and neither gpt-5 nor anything new.
    std::optional<Price> find(std::string_view kind, std::string_view model) const;

    std::size_t size() const { return prices_.size(); }

private:
    std::map<std::string, Price, std::less<>> prices_;  // by kind/model
};

// The table that ships with Runnel: well-known models, as their providers' price lists have them.
const PriceList& built_in_prices();

}  // namespace runnel::metering
