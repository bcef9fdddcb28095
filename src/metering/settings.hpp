#pragma once

#include "access/key.hpp"
#include "base/limits.hpp"
#include "base/money.hpp"
#include "metering/price.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace runnel::metering {

// Limits and budgets that the config itself sets, beside those of keys.
struct SharedLimits {
    access::RateLimits each_address{};              // of one client, by its IP address
    access::RateLimits each_browser_key_address{};  // the same, for keys that everybody can read
    std::vector<std::pair<std::string, access::Budget>> team_budgets{};
    std::vector<std::pair<std::string, access::Budget>> model_budgets{};
    std::vector<std::pair<std::string, access::RateLimits>> model_limits{};
    // Of each caller at one endpoint, by the names in metering/endpoint.hpp.
    std::vector<std::pair<std::string, access::RateLimits>> endpoint_limits{};
    // Models without a price, for callers that have a budget.
    enum class Unpriced { refuse, allow } unpriced = Unpriced::refuse;
    // Output tokens that are reserved where neither the request nor the model says a maximum.
    std::int64_t reserved_output_tokens = limits::reserved_output_tokens;
};

// What models and tools cost.
struct PriceSettings {
    std::vector<std::pair<std::string, Price>> list{};  // before the table that ships with Runnel
    std::string file{};                                 // in LiteLLM's format; between the two
    double multiplier = 1;                              // of all of them
    std::vector<std::pair<std::string, Money>> tool_fees{};  // for one run
};

}  // namespace runnel::metering
