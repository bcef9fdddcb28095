#pragma once

#include <cstdint>
#include <optional>

namespace runnel::metering {

// What tokens cost, in US dollars each, as price lists write it. Where nothing is said, a part
// costs what the plain kind does: reading from a cache what input does, reasoning what output does.
struct TokenPrices {
    double input = 0;
    double output = 0;
    std::optional<double> cache_read{};
    std::optional<double> cache_write{};
    std::optional<double> reasoning{};  // of the output's part that is reasoning

    friend bool operator==(const TokenPrices&, const TokenPrices&) = default;
};

// What a model costs.
struct Price {
    TokenPrices tokens{};
    // What the whole request costs instead when its input is longer than this.
    struct LongInput {
        std::int64_t above_tokens = 0;
        TokenPrices tokens{};

        friend bool operator==(const LongInput&, const LongInput&) = default;
    };
    std::optional<LongInput> long_input{};
    double per_request = 0;

    friend bool operator==(const Price&, const Price&) = default;
};

}  // namespace runnel::metering
