#include "storage/records/kinds.hpp"

#include "storage/sql/storable_text.hpp"

#include <vector>

namespace runnel::storage {
namespace {

// Answers which of many it is, with its number.
constexpr std::string_view find_kind =
    "SELECT CAST($8 AS BIGINT), id FROM kinds WHERE key_id = $1 AND team = $2 AND "
    "model_asked = $3 AND model_served = $4 AND provider = $5 AND status = $6 AND error = $7";
constexpr std::size_t find_parameters = std::tuple_size_v<Kind> + 1;

// Another machine may have added it meanwhile: an update of nothing says under which number.
constexpr std::string_view add_kind =
    "INSERT INTO kinds (key_id, team, model_asked, model_served, provider, status, error) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7) "
    "ON CONFLICT (key_id, team, model_asked, model_served, provider, status, error) "
    "DO UPDATE SET error = excluded.error RETURNING id";

}  // namespace

Kind kind_of(const Record& record) {
    return {stored_name(record.key_id),      stored_name(record.team),
            stored_name(record.model_asked), stored_name(record.model_served),
            stored_name(record.provider),    record.status,
            stored_name(record.error)};
}

Result<KindNumbers> number_kinds(Database& database, std::span<const Record* const> batch) {
    KindNumbers numbers;
    for (const Record* record : batch) numbers.try_emplace(kind_of(*record), 0);
    std::vector<std::int64_t*> in_order;
    std::vector<Parameter> parameters;
    parameters.reserve(numbers.size() * find_parameters);
    for (auto& [kind, number] : numbers) {
        std::apply([&](const auto&... parts) { (parameters.emplace_back(parts), ...); }, kind);
        parameters.emplace_back(static_cast<std::int64_t>(in_order.size()));
        in_order.push_back(&number);
    }
    auto known = database.run_each(find_kind, find_parameters, parameters);
    if (!known) return propagate(known);
    for (std::size_t row = 0; row < known->size(); ++row)
        *in_order[static_cast<std::size_t>(known->integer(row, 0))] = known->integer(row, 1);
    for (std::size_t at = 0; at < in_order.size(); ++at) {
        if (*in_order[at] != 0) continue;  // numbers begin with 1
        auto added = database.run(
            add_kind, std::span(parameters).subspan(at * find_parameters, find_parameters - 1));
        if (!added) return propagate(added);
        *in_order[at] = added->integer(0, 0);
    }
    return numbers;
}

}  // namespace runnel::storage
