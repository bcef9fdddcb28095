#include "storage/records/usage.hpp"

#include "metering/model_version.hpp"
#include "storage/records/log_filter.hpp"
#include "storage/sql/sql_time.hpp"
#include "storage/sql/storable_text.hpp"

#include <fmt/format.h>

#include <limits>

namespace runnel::storage {
namespace {

bool is_time(GroupBy group_by) { return group_by == GroupBy::day || group_by == GroupBy::hour; }

std::string group_expression(GroupBy group_by) {
    switch (group_by) {
        case GroupBy::nothing: return "''";
        case GroupBy::key: return "key_id";
        case GroupBy::team: return "team";
        // What failed was served by none.
        case GroupBy::model: return "COALESCE(NULLIF(model_served, ''), model_asked)";
        case GroupBy::provider: return "provider";
        case GroupBy::hour: return "hour";
        case GroupBy::day: return fmt::format("hour - hour % {}", day_ms);
    }
    return "''";
}

UsageSum sum_of(const Rows& rows, std::size_t row, GroupBy group_by) {
    UsageSum sum;
    if (is_time(group_by))
        sum.begins = time_of(rows.integer(row, 0));
    else
        sum.group = rows.text(row, 0);
    sum.requests = rows.integer(row, 1);
    sum.errors = rows.integer(row, 2);
    sum.tokens = {.input = rows.integer(row, 3),
                  .cached = rows.integer(row, 4),
                  .output = rows.integer(row, 5),
                  .reasoning = rows.integer(row, 6)};
    sum.cost = Money{rows.integer(row, 7)};
    sum.unpriced = rows.integer(row, 8);
    return sum;
}

// The names under which the provider of a provider/model served it, or a version of it.
Result<std::vector<std::string>> served_as(Database& database, std::string_view model) {
    const std::string_view provider = model.substr(0, model.find('/'));
    auto rows =
        database.run("SELECT DISTINCT model_served FROM kinds WHERE provider = $1", {provider});
    if (!rows) return propagate(rows);
    std::vector<std::string> names;
    for (std::size_t row = 0; row < rows->size(); ++row) {
        std::string name(rows->text(row, 0));
        if (metering::is_version_of(name, stored_name(model)) ||
            metering::is_version_of(fmt::format("{}/{}", provider, name), stored_name(model)))
            names.push_back(std::move(name));
    }
    return names;
}

// `served` is what served_as() says of it.
void add_model(Conditions& to, const SpendScope& scope, const std::vector<std::string>& served) {
    Conditions kinds = to.of_another_table();
    std::string names = kinds.value(stored_name(scope.name));
    for (const std::string& other : scope.other_names)
        names += ", " + kinds.value(stored_name(other));
    std::string either = fmt::format("model_asked IN ({})", names);
    if (!served.empty()) {  // PostgreSQL refuses a value that nothing asks for
        const std::string provider =
            kinds.value(std::string_view(scope.name).substr(0, scope.name.find('/')));
        for (const std::string& name : served)
            either += fmt::format(" OR (provider = {} AND model_served = {})", provider,
                                  kinds.value(std::string_view(name)));
    }
    kinds.add(fmt::format("({})", either));
    to.add(fmt::format("kind IN (SELECT id FROM kinds WHERE {})", kinds.text()));
}

}  // namespace

Result<std::vector<UsageSum>> usage(Database& database, const UsageQuery& query) {
    const LogFilter filter{.key_id = query.key_id, .team = query.team};
    std::vector<Parameter> parameters;
    Conditions conditions(&parameters);
    add_filter(conditions, filter);
    const std::string parts =
        rows_to_sum(ms_of(query.from), ms_of(query.to), conditions.text(), parameters);
    auto rows = database.run(
        fmt::format(
            "SELECT {}, SUM(requests), SUM(CASE WHEN error <> '' THEN requests ELSE 0 END), "
            "SUM(input_tokens), SUM(cached_tokens), SUM(output_tokens), "
            "SUM(reasoning_tokens), SUM(cost), SUM(unpriced) FROM {} JOIN kinds ON kinds.id = "
            "parts.kind {} ORDER BY {}",
            group_expression(query.group_by), parts,
            // Grouping sorts all rows in memory, which a single sum needs not.
            query.group_by == GroupBy::nothing ? "" : "GROUP BY 1",
            is_time(query.group_by) ? "1" : "SUM(cost) DESC, SUM(requests) DESC, 1"),
        parameters);
    if (!rows) return propagate(rows);
    std::vector<UsageSum> sums;
    for (std::size_t row = 0; row < rows->size(); ++row)
        if (rows->integer(row, 1) > 0) sums.push_back(sum_of(*rows, row, query.group_by));
    return sums;
}

Result<Money> spent(Database& database, const SpendScope& scope, access::UtcTime from) {
    LogFilter filter;
    switch (scope.kind) {
        case SpendScope::Kind::key: filter.key_id = scope.name; break;
        case SpendScope::Kind::team: filter.team = scope.name; break;
        case SpendScope::Kind::model: break;
    }
    std::vector<Parameter> parameters;
    Conditions conditions(&parameters);
    Result<std::vector<std::string>> served;
    if (scope.kind == SpendScope::Kind::model) {
        served = served_as(database, scope.name);
        if (!served) return propagate(served);
        add_model(conditions, scope, *served);
    } else {
        add_filter(conditions, filter);
    }
    const std::string parts = rows_to_sum(ms_of(from), std::numeric_limits<std::int64_t>::max(),
                                          conditions.text(), parameters);
    auto rows = database.run(fmt::format("SELECT SUM(cost) FROM {}", parts), parameters);
    if (!rows) return propagate(rows);
    return Money{rows->integer(0, 0)};
}

}  // namespace runnel::storage
