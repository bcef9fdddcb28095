#include "storage/records/append.hpp"

#include "base/log.hpp"
#include "base/redact.hpp"
#include "storage/records/kinds.hpp"
#include "storage/records/retention.hpp"
#include "storage/records/roll_up.hpp"
#include "storage/sql/sql_time.hpp"
#include "storage/sql/storable_text.hpp"

#include <set>
#include <vector>

namespace runnel::storage {
namespace {

using Batch = std::span<const Record* const>;

constexpr std::size_t ledger_columns = 13;
constexpr std::string_view add_to_ledger =
    "INSERT INTO ledger (seq, entry_id, request_id, began, kind, finish, stream, input_tokens, "
    "cached_tokens, output_tokens, reasoning_tokens, cost, lines) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

constexpr std::size_t record_columns = 3;
constexpr std::string_view add_record =
    "INSERT INTO records (seq, record, timeline) VALUES ($1, $2, $3)";

// Numbers for so many rows, the last of which is returned. In a transaction of its own: in the
// batch's, every machine would wait here until another's batch is done.
Result<std::int64_t> take_numbers(Database& database, std::size_t count) {
    auto taken = database.run(
        "UPDATE counters SET value = value + $1 WHERE name = 'ledger_seq' RETURNING value",
        {static_cast<std::int64_t>(count)});
    if (!taken) return propagate(taken);
    return taken->integer(0, 0);
}

void add_ledger_columns(std::vector<Parameter>& to, const Record& record, std::int64_t kind) {
    to.emplace_back(stored_name(record.entry_id));
    to.emplace_back(stored_name(record.request_id));
    to.emplace_back(ms_of(record.time));
    to.emplace_back(kind);
    to.emplace_back(stored_name(record.finish));
    to.emplace_back(std::int64_t{record.stream});
    to.emplace_back(record.tokens.input);
    to.emplace_back(record.tokens.cached);
    to.emplace_back(record.tokens.output);
    to.emplace_back(record.tokens.reasoning);
    if (record.cost)
        to.emplace_back(record.cost->nano_usd);
    else
        to.emplace_back(nullptr);
    to.emplace_back(std::string_view(record.lines_json));
}

Result<void> add_ledger_rows(Database& database, Batch batch, std::int64_t first_seq,
                             RollUp& roll_up) {
    auto kinds = number_kinds(database, batch);
    if (!kinds) return propagate(kinds);
    std::vector<Parameter> parameters;
    parameters.reserve(batch.size() * ledger_columns);
    for (std::size_t at = 0; at < batch.size(); ++at) {
        const std::int64_t kind = kinds->at(kind_of(*batch[at]));
        parameters.emplace_back(first_seq + static_cast<std::int64_t>(at));
        add_ledger_columns(parameters, *batch[at], kind);
        roll_up.add(*batch[at], kind);
    }
    auto added = database.run_each(add_to_ledger, ledger_columns, parameters);
    if (!added) return propagate(added);
    return {};
}

Result<void> add_records(Database& database, Batch batch, std::int64_t first_seq) {
    auto kept_since = read_kept_since(database);
    if (!kept_since) return propagate(kept_since);
    std::vector<Parameter> parameters;
    parameters.reserve(batch.size() * record_columns);
    for (std::size_t at = 0; at < batch.size(); ++at) {
        if (batch[at]->time < *kept_since) continue;  // its time was over before it came
        parameters.emplace_back(first_seq + static_cast<std::int64_t>(at));
        parameters.emplace_back(std::string_view(batch[at]->details_json));
        if (batch[at]->timeline_json.empty())
            parameters.emplace_back(nullptr);
        else
            parameters.emplace_back(std::string_view(batch[at]->timeline_json));
    }
    auto added = database.run_each(add_record, record_columns, parameters);
    if (!added) return propagate(added);
    return {};
}

// invalid_value where one of them is there already.
Result<void> append_new(Database& database, Batch batch) {
    auto last_seq = take_numbers(database, batch.size());
    if (!last_seq) return propagate(last_seq);
    const std::int64_t first_seq = *last_seq - static_cast<std::int64_t>(batch.size()) + 1;
    return database.transaction([&]() -> Result<void> {
        RollUp roll_up;
        if (auto added = add_ledger_rows(database, batch, first_seq, roll_up); !added) return added;
        if (auto added = add_records(database, batch, first_seq); !added) return added;
        return roll_up.write(database);
    });
}

// The batch without what is there already, and without what it has twice.
Result<std::vector<const Record*>> without_known(Database& database, Batch batch) {
    std::vector<Parameter> ids;
    for (const Record* record : batch) ids.emplace_back(stored_name(record->entry_id));
    auto known = database.run_each("SELECT entry_id FROM ledger WHERE entry_id = $1", 1, ids);
    if (!known) return propagate(known);
    std::set<std::string_view> seen;
    for (std::size_t row = 0; row < known->size(); ++row) seen.insert(known->text(row, 0));
    std::vector<const Record*> rest;
    for (const Record* record : batch)
        if (seen.insert(stored_name(record->entry_id)).second) rest.push_back(record);
    return rest;
}

void log_refused(const Record& record, const Error& error) {
    log::Line(log::Level::error, "record_refused_by_store")
        .add("entry_id", record.entry_id)
        .add("detail", redacted(error.detail))
        .write();
}

Result<Appended> append_some(Database& database, Batch batch) {
    if (batch.empty()) return Appended{};
    // Nearly always all are new: nothing is looked up before that has turned out to be wrong.
    auto appended = append_new(database, batch);
    if (appended) return Appended{.added = batch.size()};
    if (appended.error().kind != ErrorKind::invalid_value) return propagate(appended);

    auto rest = without_known(database, batch);
    if (!rest) return propagate(rest);
    if (rest->size() < batch.size()) {
        auto some = append_some(database, *rest);
        if (some) some->known += batch.size() - rest->size();
        return some;
    }
    if (batch.size() == 1) {
        log_refused(*batch[0], appended.error());
        return Appended{.refused = 1};
    }
    auto first = append_some(database, batch.first(batch.size() / 2));
    if (!first) return first;
    auto second = append_some(database, batch.subspan(batch.size() / 2));
    if (!second) return second;
    return Appended{first->added + second->added, first->known + second->known,
                    first->refused + second->refused};
}

}  // namespace

Result<Appended> append(Database& database, std::span<const Record> batch) {
    std::vector<const Record*> records;
    records.reserve(batch.size());
    for (const Record& record : batch) records.push_back(&record);
    return append_some(database, records);
}

}  // namespace runnel::storage
