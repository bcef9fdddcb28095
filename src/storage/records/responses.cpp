#include "storage/records/responses.hpp"

#include "storage/limits.hpp"
#include "storage/sql/sql_time.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::storage {

Result<void> add_response(Database& database, const StoredResponse& response) {
    const auto until =
        response.running_until ? Parameter(ms_of(*response.running_until)) : Parameter(nullptr);
    auto added = database.run(
        "INSERT INTO responses (id, owner, previous, created, input, response, running_until) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7)",
        {response.id, response.owner, response.previous, ms_of(response.created),
         response.input_json, response.response_json, until});
    if (!added) return propagate(added);
    return {};
}

Result<std::optional<StoredResponse>> find_response(Database& database, std::string_view id,
                                                    std::string_view owner) {
    auto rows = database.run("SELECT id, owner, previous, created, input, response, "
                             "running_until FROM responses WHERE id = $1 AND owner = $2",
                             {id, owner});
    if (!rows) return propagate(rows);
    if (rows->empty()) return std::nullopt;
    StoredResponse response;
    response.id = rows->text(0, 0);
    response.owner = rows->text(0, 1);
    response.previous = rows->text(0, 2);
    response.created = time_of(rows->integer(0, 3));
    response.input_json = rows->text(0, 4);
    response.response_json = rows->text(0, 5);
    if (!rows->is_null(0, 6)) response.running_until = time_of(rows->integer(0, 6));
    return response;
}

Result<std::vector<StoredResponse>> find_turns(Database& database, std::string_view id,
                                               std::string_view owner, std::size_t bytes_max) {
    std::vector<StoredResponse> turns;
    std::size_t bytes = 0;
    // Each is made after the one that it goes on from, so this comes to an end.
    for (std::string next(id); !next.empty(); next = turns.back().previous) {
        auto found = find_response(database, next, owner);
        if (!found) return propagate(found);
        if (!*found) return std::vector<StoredResponse>{};
        bytes += (*found)->input_json.size() + (*found)->response_json.size();
        if (bytes > bytes_max || turns.size() == limits::conversation_turns)
            return fail(ErrorKind::request_too_large,
                        fmt::format("the conversation up to {} is too long: {} responses or {} "
                                    "bytes may be gone on from; begin a new one",
                                    id, limits::conversation_turns, bytes_max));
        turns.push_back(std::move(**found));
    }
    std::ranges::reverse(turns);
    return turns;
}

Result<bool> delete_response(Database& database, std::string_view id, std::string_view owner) {
    auto deleted = database.run("DELETE FROM responses WHERE id = $1 AND owner = $2 RETURNING id",
                                {id, owner});
    if (!deleted) return propagate(deleted);
    if (deleted->empty()) return false;
    if (auto wiped = database.wipe_deleted(); !wiped) return propagate(wiped);
    return true;
}

Result<bool> prolong_response(Database& database, std::string_view id, access::UtcTime until) {
    auto rows = database.run("UPDATE responses SET running_until = $2 WHERE id = $1 AND "
                             "running_until IS NOT NULL RETURNING id",
                             {id, ms_of(until)});
    if (!rows) return propagate(rows);
    return !rows->empty();
}

Result<bool> end_response(Database& database, std::string_view id, std::string_view response_json,
                          std::string_view frames) {
    auto rows =
        database.run("UPDATE responses SET response = $2, frames = $3, running_until = NULL "
                     "WHERE id = $1 AND running_until IS NOT NULL RETURNING id",
                     {id, response_json, frames});
    if (!rows) return propagate(rows);
    return !rows->empty();
}

Result<std::string> read_frames(Database& database, std::string_view id, std::string_view owner) {
    auto rows =
        database.run("SELECT frames FROM responses WHERE id = $1 AND owner = $2", {id, owner});
    if (!rows) return propagate(rows);
    return rows->empty() ? std::string() : std::string(rows->text(0, 0));
}

Result<std::size_t> delete_responses_before(Database& database, access::UtcTime time) {
    auto deleted = database.run("DELETE FROM responses WHERE id IN (SELECT id FROM responses "
                                "WHERE created < $1 ORDER BY created LIMIT $2) RETURNING id",
                                {ms_of(time), std::int64_t{limits::forgotten_at_once}});
    if (!deleted) return propagate(deleted);
    return deleted->size();
}

}  // namespace runnel::storage
