#pragma once

#include "access/key.hpp"
#include "base/money.hpp"
#include "metering/price.hpp"
#include "metering/settings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What a request may use up of what is limited, before it is known what it does use. Pure: time is
// passed in.
namespace runnel::metering {

// Whose limit it is. What is counted for one holder is counted in one place.
struct Holder {
    enum class Kind { key, team, model, address } kind = Kind::key;
    std::string name{};

    friend bool operator==(const Holder&, const Holder&) = default;
};

// "key:k1", "address:192.0.2.7".
std::string name_of(const Holder& holder);

// A part of a claim: what it takes from one counter.
struct Hold {
    enum class Of { requests, tokens, places, nano_usd };
    // A minute begins with the first request in it; all else as the calendar has it, in UTC.
    enum class Period { none, minute, day, week, month, total };

    Of of = Of::requests;
    Period period = Period::none;
    Holder holder{};
    // Its name among all holders', e.g. "key:k1/tokens:day:20261115". It names the very day or
    // month that it counts in, so a clock that jumps can't empty it, and a request that ends in the
    // next one corrects the one it began in.
    std::string counter{};
    std::size_t own_name_at = 0;  // in `counter`: its name among the holder's
    std::int64_t limit = 0;
    std::int64_t amount = 0;
    std::chrono::milliseconds lasts{0};  // a minute: from its first request; else from now
    access::UtcTime since{};             // money: what the ledger has from there on counts too
    std::string model{};     // a limit for one model of the holder's; empty: for all together
    std::string endpoint{};  // the same, for one endpoint

    std::string_view own_counter() const { return std::string_view(counter).substr(own_name_at); }
};

std::string_view name_of(Hold::Period period);

struct Claim {
    std::string id;             // unique on all machines
    std::vector<Hold> holds{};  // none: there is nothing to ask a meter for
};

// Who asks for what, and what it may take.
struct ClaimFacts {
    const access::Key* key = nullptr;  // none: nobody has to say who he is
    std::string_view model{};          // by its own name
    std::string_view client_address{};
    std::int64_t input_tokens = 0;  // both are estimates, rather too high than too low
    std::int64_t output_tokens = 0;
    const Price* price = nullptr;  // none: not known, so budgets are only looked at
    std::string_view endpoint{};   // by the names in metering/endpoint.hpp
    // Other names under which limits and budgets of what is asked may be written.
    std::span<const std::string_view> also{};
};

// For a chat request.
Claim make_claim(std::string id, const ClaimFacts& facts, const SharedLimits& limits,
                 access::UtcTime now);

// For one of several that may answer it: only what is limited for that model.
Claim model_claim(std::string id, const ClaimFacts& facts, const SharedLimits& limits,
                  access::UtcTime now);

// For a request to any other endpoint, where only that endpoint's limits are: who asks, and what
// for, are the facts that count.
Claim endpoint_claim(std::string id, const ClaimFacts& facts, const SharedLimits& limits,
                     access::UtcTime now);

// Whether a request may be under a limit on requests at all. Quick.
bool may_limit_requests(const access::Key* key, const SharedLimits& limits);

// The budgets that every request with the key is under, its own and its team's, to be looked at.
Claim budgets_of(const access::Key& key, const SharedLimits& limits, access::UtcTime now);

}  // namespace runnel::metering
