#pragma once

#include "config/yaml/yaml_reader.hpp"
#include "metering/settings.hpp"

#include <optional>
#include <string_view>

namespace runnel::config {

// How much may be asked for and spent: `limits` and `budget` wherever they stand.

inline constexpr std::string_view keys_of_rates[] = {"rpm", "rpd", "tpm", "tpd", "concurrency"};

// A map of only those.
std::optional<access::RateLimits> read_rates(const Value& value);
// Those among the other keys of a section.
access::RateLimits read_rates(const Section& section);

// {usd: 10, period: month}.
std::optional<access::Budget> read_budget(const Value& value);

// `teams`.
void read_teams(const Value& value, metering::SharedLimits& limits);

// `budget:`: what holds for every budget.
void read_budget_rules(const Value& value, metering::SharedLimits& limits);

// What `limits` says of clients, beside what it says of requests.
void read_client_limits(const Section& limits, metering::SharedLimits& out);

}  // namespace runnel::config
