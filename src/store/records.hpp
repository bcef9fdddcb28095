#pragma once

#include "base/money.hpp"
#include "policy/key.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What is kept of a request, as plain values.
namespace runnel::store {

// One line of what a request cost.
struct LedgerLine {
    std::string sku;  // input, output, cache_read …
    std::int64_t quantity = 0;
    double unit_price = 0;  // US dollars
    Money amount{};
    std::string description{};
    std::string provenance{};  // reported, counted, estimated

    friend bool operator==(const LedgerLine&, const LedgerLine&) = default;
};

struct Tokens {
    std::int64_t input = 0;      // all that was read
    std::int64_t cached = 0;     // the part of it that came from a cache
    std::int64_t output = 0;     // all that was written
    std::int64_t reasoning = 0;  // the part of it that is reasoning

    Tokens& operator+=(const Tokens& other) {
        input += other.input;
        cached += other.cached;
        output += other.output;
        reasoning += other.reasoning;
        return *this;
    }
    friend bool operator==(const Tokens&, const Tokens&) = default;
};

// A request that is over. The members up to `lines` are the ledger: they stay. The rest goes when
// its time is over or its owner says so.
struct Record {
    std::string entry_id;    // the completion id; where there is none, another that is as unique
    std::string request_id;  // clients may use theirs twice
    policy::UtcTime time{};  // when it began
    std::string key_id{};
    std::string team{};
    std::string model_asked{};
    std::string model_served{};
    std::string provider{};
    int status = 0;
    std::string error{};   // its code; empty: it went well
    std::string finish{};  // empty: there was none
    bool stream = false;
    Tokens tokens{};
    std::optional<Money> cost{};  // none: not known
    std::vector<LedgerLine> lines{};

    std::string record_json{};    // all there is to know, as an object
    std::string timeline_json{};  // what was said; empty: it is not kept
};

}  // namespace runnel::store
