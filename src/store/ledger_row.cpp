#include "store/ledger_row.hpp"

#include "store/sql_time.hpp"

#include <fmt/format.h>

namespace runnel::store {

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

}  // namespace runnel::store
