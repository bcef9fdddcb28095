#pragma once

#include "base/money.hpp"
#include "storage/records/records.hpp"
#include "storage/sql/sql.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Sums over the ledger, from the roll-ups; the hours at both ends are summed line by line.
namespace runnel::storage {

enum class GroupBy { nothing, key, team, model, provider, day, hour };

struct UsageQuery {
    access::UtcTime from{};
    access::UtcTime to{};  // not included
    GroupBy group_by = GroupBy::nothing;
    std::optional<std::string> key_id{};  // of this key alone
    std::string team{};                   // of this team alone
};

struct UsageSum {
    std::string group{};       // a key's id, a model as served …; empty for times
    access::UtcTime begins{};  // a day or an hour
    std::int64_t requests = 0;
    std::int64_t errors = 0;
    Tokens tokens{};
    Money cost{};               // of those whose cost is known
    std::int64_t unpriced = 0;  // the others
};

// By time, or by what they cost, the most first.
Result<std::vector<UsageSum>> usage(Database& database, const UsageQuery& query);

// Whose money. A model's is what was spent on requests for it, under any of its names, and on
// others that it answered: as provider/model.
struct SpendScope {
    enum class Kind { key, team, model };
    Kind kind = Kind::key;
    std::string name;
    std::vector<std::string> other_names{};  // of a model
};

// What was spent since then, for budgets after a restart.
Result<Money> spent(Database& database, const SpendScope& scope, access::UtcTime from);

}  // namespace runnel::storage
