#pragma once

#include "storage/records/records.hpp"
#include "storage/sql/sql.hpp"

#include <map>
#include <string_view>
#include <tuple>

namespace runnel::storage {

// What requests that are filtered and summed up alike have in common: key, team, model asked for,
// model served, provider, status, error. A view of a record.
using Kind = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                        std::string_view, std::int64_t, std::string_view>;
Kind kind_of(const Record& record);

// The numbers of all kinds in a batch; those that are new get one. In the transaction that adds the
// records.
using KindNumbers = std::map<Kind, std::int64_t>;
Result<KindNumbers> number_kinds(Database& database, std::span<const Record* const> batch);

}  // namespace runnel::storage
