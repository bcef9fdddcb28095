#pragma once

#include "base/money.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace runnel::access {

using UtcTime = std::chrono::sys_time<std::chrono::milliseconds>;

// How much may be asked for; nothing said: any number.
struct RateLimits {
    std::optional<std::int64_t> rpm{};  // requests per minute
    std::optional<std::int64_t> rpd{};  // and per day, from 00:00 UTC
    std::optional<std::int64_t> tpm{};  // tokens, in and out
    std::optional<std::int64_t> tpd{};
    std::optional<std::int64_t> concurrency{};  // requests at a time

    friend bool operator==(const RateLimits&, const RateLimits&) = default;
};

// How much may be spent. Periods begin at 00:00 UTC of a day, a Monday, or a month's first.
struct Budget {
    enum class Period { total, day, week, month };
    Money limit{};
    Period period = Period::total;

    friend bool operator==(const Budget&, const Budget&) = default;
};

// What somebody was handed to ask with, and what may be asked with it. The secret itself is known
// to nobody but its owner.
struct Key {
    enum class Kind { secret, browser };  // a browser's key is public: everybody can read it

    std::string id;
    std::string name{};
    std::string hash{};    // SHA-256 of the secret, in hexadecimal
    std::string masked{};  // enough of the secret to recognise it by
    // The secret before the last rotation, as long as it is still good.
    std::string old_hash{};
    std::optional<UtcTime> old_hash_until{};
    Kind kind = Kind::secret;
    std::string team{};
    std::vector<std::string> scopes{};
    std::vector<std::string> models{};  // empty: every model; may end in *
    // That may be run here for it, by their names in `tools`; none: all, where a scope allows any.
    std::optional<std::vector<std::string>> tools{};
    bool enabled = true;
    std::optional<UtcTime> expires_at{};
    std::vector<std::string> origins{};    // empty: every origin
    std::vector<std::string> addresses{};  // IP addresses and CIDR ranges; empty: all
    std::string wallet{};                  // the address it is bound to
    std::string dialect{};
    RateLimits limits{};
    std::vector<std::pair<std::string, RateLimits>> model_limits{};
    std::optional<Budget> budget{};
    std::vector<std::string> guardrails{};  // that apply whatever a request says
    bool keeps_content = false;             // what is said is logged
    bool may_cache = true;
    std::string metadata_json{};  // an object; empty: none
    UtcTime created_at{};
    UtcTime updated_at{};

    friend bool operator==(const Key&, const Key&) = default;
};

}  // namespace runnel::access
