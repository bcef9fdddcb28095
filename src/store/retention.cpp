#include "store/retention.hpp"

#include "store/sql_time.hpp"
#include "store/store_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace runnel::store {
namespace {

constexpr auto batch_size = static_cast<std::int64_t>(limits::forgotten_at_once);

// Where to stop, so that a transaction is a small one: the time of the first of these requests that
// is too many, or `end`. At least one millisecond is done.
Result<std::int64_t> end_of_batch(Database& database, std::optional<std::int64_t> kind,
                                  std::int64_t begin, std::int64_t end) {
    std::vector<Parameter> parameters{begin, end, batch_size};
    if (kind) parameters.emplace_back(*kind);
    auto next =
        database.run(fmt::format("SELECT began FROM ledger WHERE began >= $1 AND began < $2 "
                                 "{} ORDER BY began, seq LIMIT 1 OFFSET $3",
                                 kind ? "AND kind = $4" : ""),
                     parameters);
    if (!next) return propagate(next);
    return next->empty() ? end : std::max(next->integer(0, 0), begin + 1);
}

Result<std::size_t> forget_content_of_kind(Database& database, std::int64_t kind,
                                           std::int64_t begin) {
    constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
    std::size_t count = 0;
    while (begin < end) {
        auto until = end_of_batch(database, kind, begin, end);
        if (!until) return propagate(until);
        auto emptied = database.run(
            "UPDATE records SET timeline = NULL WHERE timeline IS NOT NULL AND seq IN "
            "(SELECT seq FROM ledger WHERE kind = $1 AND began >= $2 AND began < $3) RETURNING seq",
            {kind, begin, *until});
        if (!emptied) return propagate(emptied);
        count += emptied->size();
        begin = *until;
    }
    return count;
}

}  // namespace

Result<Forgotten> forget_before(Database& database, policy::UtcTime time) {
    const std::int64_t end = ms_of(time);
    Forgotten forgotten;
    auto done = database.transaction([&]() -> Result<void> {
        // Written to be read: of several machines that do this, one does it at a time.
        auto kept = database.run(
            "UPDATE counters SET value = value WHERE name = 'kept_since' RETURNING value");
        if (!kept) return propagate(kept);
        const std::int64_t begin = kept->empty() ? 0 : kept->integer(0, 0);
        if (begin >= end) return {};
        auto until = end_of_batch(database, std::nullopt, begin, end);
        if (!until) return propagate(until);
        auto deleted =
            database.run("DELETE FROM records WHERE seq IN "
                         "(SELECT seq FROM ledger WHERE began >= $1 AND began < $2) RETURNING seq",
                         {begin, *until});
        if (!deleted) return propagate(deleted);
        auto noted =
            database.run("UPDATE counters SET value = $1 WHERE name = 'kept_since'", {*until});
        if (!noted) return propagate(noted);
        forgotten = {.records = deleted->size(), .more = *until < end};
        return {};
    });
    if (!done) return propagate(done);
    return forgotten;
}

Result<policy::UtcTime> read_kept_since(Database& database) {
    auto rows = database.run("SELECT value FROM counters WHERE name = 'kept_since'");
    if (!rows) return propagate(rows);
    return time_of(rows->empty() ? 0 : rows->integer(0, 0));
}

Result<std::size_t> forget_content(Database& database, std::string_view entry_id) {
    auto emptied =
        database.run("UPDATE records SET timeline = NULL WHERE timeline IS NOT NULL AND seq IN "
                     "(SELECT seq FROM ledger WHERE entry_id = $1) RETURNING seq",
                     {entry_id});
    if (!emptied) return propagate(emptied);
    if (auto wiped = database.wipe_deleted(); !wiped) return propagate(wiped);
    return emptied->size();
}

Result<std::size_t> forget_content_of_key(Database& database, std::string_view key_id) {
    auto kept_since = read_kept_since(database);
    if (!kept_since) return propagate(kept_since);
    auto kinds = database.run("SELECT id FROM kinds WHERE key_id = $1", {key_id});
    if (!kinds) return propagate(kinds);
    std::size_t count = 0;
    for (std::size_t row = 0; row < kinds->size(); ++row) {
        auto emptied = forget_content_of_kind(database, kinds->integer(row, 0), ms_of(*kept_since));
        if (!emptied) return emptied;
        count += *emptied;
    }
    if (auto wiped = database.wipe_deleted(); !wiped) return propagate(wiped);
    return count;
}

}  // namespace runnel::store
