#pragma once

#include "base/money.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace runnel {

// One line of what a request cost. A request's lines add up to its cost, to the last billionth.
struct CostLine {
    std::string sku;  // input, output, cache_read …
    std::int64_t quantity = 0;
    double unit_price = 0;  // US dollars
    Money amount{};
    std::string description{};  // for a person: "Input tokens"
};

inline Money total_of(const std::vector<CostLine>& lines) {
    Money total;
    for (const CostLine& line : lines) total += line.amount;
    return total;
}

}  // namespace runnel
