#include "storage/records/log_filter.hpp"

#include "storage/sql/sql_time.hpp"
#include "storage/sql/storable_text.hpp"

#include <fmt/format.h>

namespace runnel::storage {

std::string Conditions::value(Parameter value) {
    parameters_->push_back(value);
    return fmt::format("${}", parameters_->size());
}

void Conditions::add(std::string_view condition) {
    if (!text_.empty()) text_ += " AND ";
    text_ += condition;
}

void Conditions::add(std::string_view condition, Parameter value) {
    const std::string placeholder = this->value(value);
    std::string text;
    for (const char c : condition) {
        if (c == '?')
            text += placeholder;
        else
            text += c;
    }
    add(text);
}

void add_kind_filter(Conditions& to, const LogFilter& filter) {
    if (filter.key_id) to.add("key_id = ?", stored_name(*filter.key_id));
    if (!filter.team.empty()) to.add("team = ?", stored_name(filter.team));
    if (!filter.model.empty())
        to.add("(model_asked = ? OR model_served = ?)", stored_name(filter.model));
    if (!filter.provider.empty()) to.add("provider = ?", stored_name(filter.provider));
    if (filter.status) {
        to.add("status >= ?", std::int64_t{filter.status->first});
        to.add("status <= ?", std::int64_t{filter.status->second});
    }
    if (filter.error == "*")
        to.add("error <> ''");
    else if (!filter.error.empty())
        to.add("error = ?", stored_name(filter.error));
}

bool filters_kinds(const LogFilter& filter) {
    return filter.key_id || !filter.team.empty() || !filter.model.empty() ||
           !filter.provider.empty() || filter.status || !filter.error.empty();
}

void add_filter(Conditions& to, const LogFilter& filter) {
    if (!filters_kinds(filter)) return;
    Conditions kinds = to.of_another_table();
    add_kind_filter(kinds, filter);
    to.add(fmt::format("kind IN (SELECT id FROM kinds WHERE {})", kinds.text()));
}

std::string rows_to_sum(std::int64_t from, std::int64_t to, std::string_view conditions,
                        std::vector<Parameter>& parameters) {
    std::int64_t first_hour = hour_of(from);
    if (first_hour < from) first_hour += hour_ms;
    std::int64_t end_hour = hour_of(to);
    if (first_hour >= end_hour) first_hour = end_hour = to;  // the ledger alone

    const auto at = parameters.size();
    parameters.insert(parameters.end(), {from, first_hour, end_hour, to});
    constexpr std::string_view from_ledger =
        "SELECT began - began % {hour} AS hour, kind, 1 AS requests, input_tokens, cached_tokens, "
        "output_tokens, reasoning_tokens, COALESCE(cost, 0) AS cost, "
        "CASE WHEN cost IS NULL THEN 1 ELSE 0 END AS unpriced "
        "FROM ledger WHERE began >= ${begin} AND began < ${end} AND {conditions}";
    const auto part = [&](std::size_t begin, std::size_t end) {
        return fmt::format(fmt::runtime(from_ledger), fmt::arg("hour", hour_ms),
                           fmt::arg("begin", begin), fmt::arg("end", end),
                           fmt::arg("conditions", conditions));
    };
    return fmt::format("(SELECT hour, kind, requests, input_tokens, cached_tokens, output_tokens, "
                       "reasoning_tokens, cost, unpriced "
                       "FROM usage_hours WHERE hour >= ${} AND hour < ${} AND {} "
                       "UNION ALL {} UNION ALL {}) AS parts",
                       at + 2, at + 3, conditions, part(at + 1, at + 2), part(at + 3, at + 4));
}

}  // namespace runnel::storage
