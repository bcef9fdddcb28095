#pragma once

#include <optional>

namespace runnel::policy {

// What a model costs, in US dollars per token, as price lists write it. Nothing said: the price of
// the plain kind (reading from a cache costs what reading does), unless it can't be known.
struct Price {
    double input = 0;
    double output = 0;
    std::optional<double> cache_read{};
    std::optional<double> cache_write{};
    std::optional<double> reasoning{};  // of the output's part that is reasoning
    double per_request = 0;

    friend bool operator==(const Price&, const Price&) = default;
};

}  // namespace runnel::policy
