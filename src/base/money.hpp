#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

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

}  // namespace runnel
