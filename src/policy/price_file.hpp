#pragma once

#include "base/result.hpp"
#include "policy/price.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::policy {

// Prices by kind of provider and model.
class PriceList {
public:
    void set(std::string_view kind, std::string_view model, const Price& price);

    // Of the model itself, else of the longest name that it is a version of:
    // gpt-5-mini-2025-08-07 is gpt-5-mini, and not gpt-5.
    std::optional<Price> find(std::string_view kind, std::string_view model) const;

    std::size_t size() const { return prices_.size(); }

private:
    std::map<std::string, Price, std::less<>> prices_;  // by kind/model
};

// LiteLLM's model_prices_and_context_window.json, or a file in its form. Entries of providers that
// Runnel does not speak to, and of what is not paid by the token, are left out; one whose price
// can't be read is an error that names it, and nothing of the file counts.
Result<PriceList> read_price_file(std::string_view json);

// What comes after a model's name where a version of it is named: "-2025-08-07", "-latest",
// "-preview-05-20", "@20250514".
bool is_version_suffix(std::string_view rest);

}  // namespace runnel::policy
