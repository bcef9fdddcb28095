#include "storage/records/logs.hpp"

#include "storage/limits.hpp"
#include "storage/records/log_filter.hpp"
#include "storage/records/retention.hpp"
#include "storage/sql/sql_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <span>

namespace runnel::storage {
namespace {

constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t hours_at_once = 24;

// PostgreSQL would rather read all requests in their order, to be spared sorting the few that an
// id's index finds.
constexpr std::string_view began_without_index = "(began + 0)";

// SELECT … FROM ledger … WHERE those that have what is asked for, to be followed by AND.
std::string select_records(Detail detail) {
    std::string_view more;
    switch (detail) {
        case Detail::columns: break;
        case Detail::record: more = ", records.record"; break;
        case Detail::content: more = ", records.record, records.timeline"; break;
    }
    return fmt::format(
        "SELECT entry_id, request_id, began, key_id, team, model_asked, model_served, provider, "
        "status, error, finish, stream, input_tokens, cached_tokens, output_tokens, "
        "reasoning_tokens, cost, lines{} "
        "FROM ledger LEFT JOIN kinds ON kinds.id = ledger.kind {}",
        more,
        // Said so that no planner makes an inner join of it, which might begin with the records.
        detail == Detail::columns
            ? "WHERE TRUE"
            : "LEFT JOIN records ON records.seq = ledger.seq WHERE COALESCE(records.seq, 0) > 0");
}

// A row of it.
Record record_of(const Rows& rows, std::size_t row, Detail detail) {
    Record record;
    record.entry_id = rows.text(row, 0);
    record.request_id = rows.text(row, 1);
    record.time = time_of(rows.integer(row, 2));
    record.key_id = rows.text(row, 3);
    record.team = rows.text(row, 4);
    record.model_asked = rows.text(row, 5);
    record.model_served = rows.text(row, 6);
    record.provider = rows.text(row, 7);
    record.status = static_cast<int>(rows.integer(row, 8));
    record.error = rows.text(row, 9);
    record.finish = rows.text(row, 10);
    record.stream = rows.integer(row, 11) != 0;
    record.tokens = {.input = rows.integer(row, 12),
                     .cached = rows.integer(row, 13),
                     .output = rows.integer(row, 14),
                     .reasoning = rows.integer(row, 15)};
    if (!rows.is_null(row, 16)) record.cost = Money{rows.integer(row, 16)};
    record.lines_json = rows.text(row, 17);
    if (detail != Detail::columns) record.details_json = rows.text(row, 18);
    if (detail == Detail::content) record.timeline_json = rows.text(row, 19);
    return record;
}

// A place in the list, which goes from the newest down. The ledger's numbers begin with 1, so that
// {time, 0} lies below everything of that time.
struct Place {
    std::int64_t began = end_of_time;
    std::int64_t seq = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
};

// Reads what one filter lets through.
class LogReader {
public:
    // What it is given must outlive it.
    LogReader(Database* database, const LogFilter* filter)
        : database_(database),
          filter_(filter),
          above_prefix_(filter->id_prefix + '\x7f') {}

    Result<void> begin();
    Result<void> go_to(std::string_view after);
    Result<std::vector<Record>> read(std::size_t limit, Detail detail);
    Result<std::int64_t> count();

private:
    Result<void> check_prefix();
    void add_conditions(Conditions& to) const;
    std::string ids_with_prefix(Conditions& values) const;
    // The part of the list between the two; at most `limit` altogether.
    Result<void> read_stretch(std::int64_t from, Place below, std::size_t limit, Detail detail,
                              std::vector<Record>& out);
    // The kinds that pass; more than `limit` are not looked for.
    Result<std::vector<std::int64_t>> kinds(std::size_t limit);
    // The newest of each kind, of which only the newest are taken: however rare they are.
    Result<void> read_by_kinds(std::span<const std::int64_t> kinds, std::size_t limit,
                               Detail detail, std::vector<Record>& out);
    Result<std::vector<Place>> newest_places(std::span<const std::int64_t> kinds,
                                             std::size_t limit);
    // Only the hours in which the roll-ups have something: for many kinds, which are not rare.
    Result<void> read_by_hours(std::size_t limit, Detail detail, std::vector<Record>& out);
    Result<Rows> hours_down_from(std::int64_t hour);

    Database* database_;
    const LogFilter* filter_;
    std::string above_prefix_;  // ids are printable ASCII
    std::int64_t from_ = 0;
    Place below_{};
};

Result<void> LogReader::begin() {
    auto kept_since = read_kept_since(*database_);
    if (!kept_since) return propagate(kept_since);
    from_ = ms_of(std::max(*kept_since, filter_->from.value_or(*kept_since)));
    if (filter_->to) below_ = {ms_of(*filter_->to), 0};
    return check_prefix();
}

Result<void> LogReader::check_prefix() {
    if (filter_->id_prefix.empty()) return {};
    std::vector<Parameter> parameters;
    Conditions values(&parameters);
    const std::string ids = ids_with_prefix(values);
    const std::string limit = values.value(std::int64_t{limits::ids_with_a_prefix + 1});
    auto found = database_->run(
        fmt::format("SELECT COUNT(*) FROM ({} LIMIT {}) AS found", ids, limit), parameters);
    if (!found) return propagate(found);
    if (found->integer(0, 0) > static_cast<std::int64_t>(limits::ids_with_a_prefix))
        return fail_at(ErrorKind::invalid_value, "id",
                       fmt::format("More than {} ids begin with '{}'. Write more of it.",
                                   limits::ids_with_a_prefix, filter_->id_prefix));
    return {};
}

Result<void> LogReader::go_to(std::string_view after) {
    if (after.empty()) return {};
    std::vector<Parameter> parameters;
    Conditions conditions(&parameters);
    conditions.add("entry_id = ?", after);
    const LogFilter owner{.key_id = filter_->key_id};
    add_filter(conditions, owner);
    auto place = database_->run(
        fmt::format("SELECT began, seq FROM ledger WHERE {}", conditions.text()), parameters);
    if (!place) return propagate(place);
    if (place->empty())
        return fail_at(ErrorKind::invalid_value, "after",
                       "after must be the last_id of a page of this list");
    below_ = std::min(below_, Place{place->integer(0, 0), place->integer(0, 1)});
    return {};
}

Result<std::vector<Record>> LogReader::read(std::size_t limit, Detail detail) {
    std::vector<Record> out;
    Result<void> done;
    if (!filters_kinds(*filter_) || !filter_->id_prefix.empty()) {
        done = read_stretch(from_, below_, limit, detail, out);
    } else {
        const std::size_t kinds_max = limits::places_at_once / limit;
        auto passing = kinds(kinds_max);
        if (!passing) return propagate(passing);
        done = passing->size() <= kinds_max ? read_by_kinds(*passing, limit, detail, out)
                                            : read_by_hours(limit, detail, out);
    }
    if (!done) return propagate(done);
    return out;
}

Result<std::vector<std::int64_t>> LogReader::kinds(std::size_t limit) {
    std::vector<Parameter> parameters;
    Conditions conditions(&parameters);
    add_kind_filter(conditions, *filter_);
    const std::string count = conditions.value(static_cast<std::int64_t>(limit + 1));
    auto rows = database_->run(
        fmt::format("SELECT id FROM kinds WHERE {} LIMIT {}", conditions.text(), count),
        parameters);
    if (!rows) return propagate(rows);
    std::vector<std::int64_t> found;
    for (std::size_t row = 0; row < rows->size(); ++row) found.push_back(rows->integer(row, 0));
    return found;
}

Result<void> LogReader::read_by_kinds(std::span<const std::int64_t> kinds, std::size_t limit,
                                      Detail detail, std::vector<Record>& out) {
    auto places = newest_places(kinds, limit);
    if (!places) return propagate(places);
    std::vector<Parameter> parameters;
    for (const Place& place : *places) parameters.emplace_back(place.seq);
    auto rows = database_->run_each(fmt::format("{} AND ledger.seq = $1", select_records(detail)),
                                    1, parameters);
    if (!rows) return propagate(rows);
    for (std::size_t row = 0; row < rows->size(); ++row)
        out.push_back(record_of(*rows, row, detail));
    return {};
}

Result<std::vector<Place>> LogReader::newest_places(std::span<const std::int64_t> kinds,
                                                    std::size_t limit) {
    std::vector<Parameter> parameters;
    for (const std::int64_t kind : kinds)
        parameters.insert(parameters.end(), {kind, from_, below_.began, below_.seq,
                                             static_cast<std::int64_t>(limit)});
    auto rows =
        database_->run_each("SELECT began, seq FROM ledger WHERE kind = $1 AND began >= $2 AND "
                            "(began, seq) < ($3, $4) ORDER BY began DESC, seq DESC LIMIT $5",
                            5, parameters);
    if (!rows) return propagate(rows);
    std::vector<Place> places;
    places.reserve(rows->size());
    for (std::size_t row = 0; row < rows->size(); ++row)
        places.push_back({rows->integer(row, 0), rows->integer(row, 1)});
    std::ranges::sort(places, std::greater());
    places.resize(std::min(places.size(), limit));
    return places;
}

Result<void> LogReader::read_stretch(std::int64_t from, Place below, std::size_t limit,
                                     Detail detail, std::vector<Record>& out) {
    std::vector<Parameter> parameters;
    Conditions conditions(&parameters);
    add_conditions(conditions);
    conditions.add("began >= ?", from);
    const std::string began = conditions.value(below.began);
    const std::string seq = conditions.value(below.seq);
    conditions.add(fmt::format("(began, ledger.seq) < ({}, {})", began, seq));
    const std::string count = conditions.value(static_cast<std::int64_t>(limit - out.size()));
    auto rows = database_->run(
        fmt::format("{} AND {} ORDER BY {} DESC, ledger.seq DESC LIMIT {}", select_records(detail),
                    conditions.text(), filter_->id_prefix.empty() ? "began" : began_without_index,
                    count),
        parameters);
    if (!rows) return propagate(rows);
    for (std::size_t row = 0; row < rows->size(); ++row)
        out.push_back(record_of(*rows, row, detail));
    return {};
}

Result<void> LogReader::read_by_hours(std::size_t limit, Detail detail, std::vector<Record>& out) {
    std::int64_t newest = below_.began;
    while (out.size() < limit) {
        auto hours = hours_down_from(newest);
        if (!hours) return propagate(hours);
        for (std::size_t row = 0; row < hours->size() && out.size() < limit; ++row) {
            const std::int64_t hour = hours->integer(row, 0);
            const Place below = std::min(below_, Place{hour + hour_ms, 0});
            if (auto done = read_stretch(std::max(from_, hour), below, limit, detail, out); !done)
                return done;
            newest = hour - 1;
        }
        if (hours->size() < hours_at_once) return {};
    }
    return {};
}

Result<Rows> LogReader::hours_down_from(std::int64_t hour) {
    std::vector<Parameter> parameters;
    Conditions conditions(&parameters);
    add_filter(conditions, *filter_);
    conditions.add("hour >= ?", hour_of(from_));
    conditions.add("hour <= ?", hour);
    const std::string limit = conditions.value(hours_at_once);
    return database_->run(fmt::format("SELECT hour FROM usage_hours WHERE {} GROUP BY hour "
                                      "ORDER BY hour DESC LIMIT {}",
                                      conditions.text(), limit),
                          parameters);
}

Result<std::int64_t> LogReader::count() {
    std::vector<Parameter> parameters;
    Conditions conditions(&parameters);
    add_conditions(conditions);
    std::string statement;
    if (filter_->id_prefix.empty()) {
        statement = fmt::format("SELECT SUM(requests) FROM {}",
                                rows_to_sum(from_, below_.began, conditions.text(), parameters));
    } else {
        conditions.add("began >= ?", from_);
        conditions.add("began < ?", below_.began);
        statement = fmt::format("SELECT COUNT(*) FROM ledger WHERE {}", conditions.text());
    }
    auto rows = database_->run(statement, parameters);
    if (!rows) return propagate(rows);
    return rows->integer(0, 0);
}

void LogReader::add_conditions(Conditions& to) const {
    add_filter(to, *filter_);
    if (!filter_->id_prefix.empty()) to.add(fmt::format("ledger.seq IN ({})", ids_with_prefix(to)));
}

std::string LogReader::ids_with_prefix(Conditions& values) const {
    const std::string from = values.value(std::string_view(filter_->id_prefix));
    const std::string to = values.value(std::string_view(above_prefix_));
    return fmt::format("SELECT seq FROM ledger WHERE entry_id >= {0} AND entry_id < {1} "
                       "UNION SELECT seq FROM ledger WHERE request_id >= {0} AND request_id < {1}",
                       from, to);
}

}  // namespace

Result<LogPage> list_records(Database& database, const LogFilter& filter, std::string_view after,
                             std::size_t limit, Detail detail) {
    LogReader reader(&database, &filter);
    if (auto begun = reader.begin(); !begun) return propagate(begun);
    if (auto moved = reader.go_to(after); !moved) return propagate(moved);
    auto records = reader.read(limit + 1, detail);
    if (!records) return propagate(records);
    LogPage page{std::move(*records)};
    page.has_more = page.records.size() > limit;
    if (page.has_more) page.records.pop_back();
    return page;
}

Result<std::int64_t> count_records(Database& database, const LogFilter& filter) {
    LogReader reader(&database, &filter);
    if (auto begun = reader.begin(); !begun) return propagate(begun);
    return reader.count();
}

Result<std::optional<Record>> find_record(Database& database, std::string_view id,
                                          const std::optional<std::string>& key_id, Detail detail) {
    for (const std::string_view column : {"entry_id = ?", "request_id = ?"}) {
        std::vector<Parameter> parameters;
        Conditions conditions(&parameters);
        conditions.add(column, id);
        if (key_id) conditions.add("key_id = ?", std::string_view(*key_id));
        auto rows = database.run(fmt::format("{} AND {} ORDER BY {} DESC, ledger.seq DESC LIMIT 1",
                                             select_records(detail), conditions.text(),
                                             began_without_index),
                                 parameters);
        if (!rows) return propagate(rows);
        if (!rows->empty()) return record_of(*rows, 0, detail);
    }
    return std::nullopt;
}

}  // namespace runnel::storage
