#include "config/sections/limits.hpp"

#include "base/is_in.hpp"
#include "base/nearest.hpp"
#include "metering/endpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace runnel::config {
namespace {

using access::Budget;
using access::RateLimits;

constexpr std::string_view keys_of_budget[] = {"usd", "period"};
constexpr std::string_view keys_of_team[] = {"budget"};
constexpr std::string_view keys_of_budget_rules[] = {"unpriced"};
constexpr std::string_view unpriced_words[] = {"refuse", "allow"};  // in the order of Unpriced
constexpr std::string_view keys_of_endpoint[] = {"rpm", "rpd", "concurrency"};
constexpr std::string_view periods[] = {"total", "day", "week", "month"};  // in the order of Period

constexpr double usd_max = 9e6;  // what all counters can count to the last billionth
constexpr std::int64_t reserved_tokens_max = 10'000'000;

std::optional<std::int64_t> read_count(const Value& value) {
    return value.whole_number(0, std::numeric_limits<std::int32_t>::max());
}

std::optional<Money> read_usd(const Value& value) {
    const auto usd = value.number(0, usd_max);
    if (!usd) return std::nullopt;
    return Money::from_usd(*usd);
}

std::optional<Budget::Period> read_period(const Value& value) {
    const auto name = value.one_of(periods);
    if (!name) return std::nullopt;
    return static_cast<Budget::Period>(std::ranges::find(periods, *name) - periods);
}

std::optional<std::int64_t> read_reserved_tokens(const Value& value) {
    return value.whole_number(1, reserved_tokens_max);
}

void read_endpoints(const Value& value, metering::SharedLimits& limits) {
    for (const Entry& entry : value.entries()) {
        if (!is_in(entry.key, metering::endpoint_names))
            entry.name.complain(
                fmt::format("this is no endpoint that can have limits; there are: {}{}",
                            fmt::join(metering::endpoint_names, ", "),
                            did_you_mean(entry.key, metering::endpoint_names)));
        const auto section = entry.value.section(keys_of_endpoint);
        if (section) limits.endpoint_limits.emplace_back(entry.key, read_rates(*section));
    }
}

}  // namespace

RateLimits read_rates(const Section& section) {
    RateLimits rates;
    section.read("rpm", read_count, rates.rpm);
    section.read("rpd", read_count, rates.rpd);
    section.read("tpm", read_count, rates.tpm);
    section.read("tpd", read_count, rates.tpd);
    section.read("concurrency", read_count, rates.concurrency);
    return rates;
}

std::optional<RateLimits> read_rates(const Value& value) {
    const auto section = value.section(keys_of_rates);
    if (!section) return std::nullopt;
    return read_rates(*section);
}

std::optional<Budget> read_budget(const Value& value) {
    const auto section = value.section(keys_of_budget);
    if (!section) return std::nullopt;
    if (!section->find("usd"))
        value.complain("a budget needs an amount, such as {usd: 10, period: month}");
    Budget budget;
    section->read("usd", read_usd, budget.limit);
    section->read("period", read_period, budget.period);
    return budget;
}

void read_teams(const Value& value, metering::SharedLimits& limits) {
    for (const Entry& entry : value.entries()) {
        if (entry.key.empty()) entry.name.complain("a team needs a name");
        const auto section = entry.value.section(keys_of_team);
        std::optional<Budget> budget;
        if (section) section->read("budget", read_budget, budget);
        if (budget) limits.team_budgets.emplace_back(entry.key, *budget);
    }
}

void read_budget_rules(const Value& value, metering::SharedLimits& limits) {
    using Unpriced = metering::SharedLimits::Unpriced;
    const auto section = value.section(keys_of_budget_rules);
    if (!section) return;
    const auto unpriced = [](const Value& word) -> std::optional<Unpriced> {
        const auto name = word.one_of(unpriced_words);
        if (!name) return std::nullopt;
        return *name == "allow" ? Unpriced::allow : Unpriced::refuse;
    };
    section->read("unpriced", unpriced, limits.unpriced);
}

void read_client_limits(const Section& limits, metering::SharedLimits& out) {
    const auto rates = [](const Value& value) { return read_rates(value); };
    limits.read("each_address", rates, out.each_address);
    limits.read("each_browser_key_address", rates, out.each_browser_key_address);
    if (const Value* endpoints = limits.find("endpoints")) read_endpoints(*endpoints, out);
    limits.read("reserved_output_tokens", read_reserved_tokens, out.reserved_output_tokens);
}

}  // namespace runnel::config
