#pragma once

#include "base/result.hpp"
#include "metering/price_list.hpp"

#include <string_view>

namespace runnel::metering {

// LiteLLM's model_prices_and_context_window.json, or a file in its form. Entries of providers that
// Runnel does not speak to, and of what is not paid by the token, are left out; one whose price
// can't be read is an error that names it, and nothing of the file counts.
Result<PriceList> read_price_file(std::string_view json);

}  // namespace runnel::metering
