#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace runnel {

// An amount of US dollars, in billionths: a token of the cheapest model is still many of them, and
// sums stay exact.
struct Money {
    std::int64_t nano_usd = 0;

    static Money from_usd(double usd) {
        return {static_cast<std::int64_t>(std::llround(usd * 1e9))};
    }
    double usd() const { return static_cast<double>(nano_usd) / 1e9; }

    Money& operator+=(Money other) {
        nano_usd += other.nano_usd;
        return *this;
    }
    friend Money operator+(Money a, Money b) { return a += b; }
    friend Money operator-(Money a, Money b) { return {a.nano_usd - b.nano_usd}; }
    friend auto operator<=>(Money, Money) = default;
};

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
