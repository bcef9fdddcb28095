#include "storage/records/retention.hpp"

#include "storage/limits.hpp"
#include "storage/sql/sql_time.hpp"

#include <algorithm>

namespace runnel::storage {
namespace {

constexpr auto batch_size = static_cast<std::int64_t>(limits::forgotten_at_once);

// Where to stop, so that a transaction is a small one: the time of the first of these requests that
// is too many, or `end`. At least one millisecond is done.
Result<std::int64_t> end_of_batch(Database& database, std::int64_t begin, std::int64_t end) {
    auto next = database.run("SELECT began FROM ledger WHERE began >= $1 AND began < $2 "
                             "ORDER BY began, seq LIMIT 1 OFFSET $3",
                             {begin, end, batch_size});
    if (!next) return propagate(next);
    return next->empty() ? end : std::max(next->integer(0, 0), begin + 1);
}

}  // namespace

Result<Forgotten> forget_before(Database& database, access::UtcTime time) {
    const std::int64_t end = ms_of(time);
    Forgotten forgotten;
    auto done = database.transaction([&]() -> Result<void> {
        // Written to be read: of several machines that do this, one does it at a time.
        auto kept = database.run(
            "UPDATE counters SET value = value WHERE name = 'kept_since' RETURNING value");
        if (!kept) return propagate(kept);
        const std::int64_t begin = kept->empty() ? 0 : kept->integer(0, 0);
        if (begin >= end) return {};
        auto until = end_of_batch(database, begin, end);
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

Result<access::UtcTime> read_kept_since(Database& database) {
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

}  // namespace runnel::storage
