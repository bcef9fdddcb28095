#include "storage/records/roll_up.hpp"

#include "storage/sql/sql_time.hpp"

#include <vector>

namespace runnel::storage {
namespace {

constexpr std::size_t columns = 9;
constexpr std::string_view add_sums =
    "INSERT INTO usage_hours (hour, kind, requests, input_tokens, cached_tokens, output_tokens, "
    "reasoning_tokens, cost, unpriced) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
    "ON CONFLICT (hour, kind) "
    "DO UPDATE SET requests = usage_hours.requests + excluded.requests, "
    "input_tokens = usage_hours.input_tokens + excluded.input_tokens, "
    "cached_tokens = usage_hours.cached_tokens + excluded.cached_tokens, "
    "output_tokens = usage_hours.output_tokens + excluded.output_tokens, "
    "reasoning_tokens = usage_hours.reasoning_tokens + excluded.reasoning_tokens, "
    "cost = usage_hours.cost + excluded.cost, "
    "unpriced = usage_hours.unpriced + excluded.unpriced";

}  // namespace

void RollUp::add(const Record& record, std::int64_t kind) {
    Sums& sums = sums_[{hour_of(ms_of(record.time)), kind}];
    ++sums.requests;
    sums.tokens += record.tokens;
    if (record.cost)
        sums.cost += *record.cost;
    else
        ++sums.unpriced;
}

Result<void> RollUp::write(Database& database) const {
    std::vector<Parameter> parameters;
    parameters.reserve(sums_.size() * columns);
    for (const auto& [place, sums] : sums_) {
        for (const std::int64_t value :
             {place.hour, place.kind, sums.requests, sums.tokens.input, sums.tokens.cached,
              sums.tokens.output, sums.tokens.reasoning, sums.cost.nano_usd, sums.unpriced})
            parameters.emplace_back(value);
    }
    auto added = database.run_each(add_sums, columns, parameters);
    if (!added) return propagate(added);
    return {};
}

}  // namespace runnel::storage
