#pragma once

#include "access/key.hpp"
#include "storage/sql/sql.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Answers that clients leave with the gateway, so that a later request can go on from them. They
// belong to who asked: nobody else finds them.
namespace runnel::storage {

struct StoredResponse {
    std::string id{};
    std::string owner{};     // a digest of who asked
    std::string previous{};  // the response that it goes on from; empty: it is a first one
    access::UtcTime created{};
    std::string input_json{};     // what was asked anew: a string, or an array of items
    std::string response_json{};  // the response object
    // Until when it is under way, if nothing else is heard of it; none: it is over.
    std::optional<access::UtcTime> running_until{};
};

Result<void> add_response(Database& database, const StoredResponse& response);

Result<std::optional<StoredResponse>> find_response(Database& database, std::string_view id,
                                                    std::string_view owner);

// The response with that id and all that it goes on from, oldest first; none where one of them is
// not there any more. More than `bytes_max` is an error.
Result<std::vector<StoredResponse>> find_turns(Database& database, std::string_view id,
                                               std::string_view owner, std::size_t bytes_max);

// Whether there was one.
Result<bool> delete_response(Database& database, std::string_view id, std::string_view owner);

// For those that run in the background, and whoever runs one. Each says whether it is there and
// under way.

// It is still under way.
Result<bool> prolong_response(Database& database, std::string_view id, access::UtcTime until);
// It is over: `frames` is the stream that its client has seen, or can see.
Result<bool> end_response(Database& database, std::string_view id, std::string_view response_json,
                          std::string_view frames);
// The stream of one that is over; empty: none was kept.
Result<std::string> read_frames(Database& database, std::string_view id, std::string_view owner);

// Deletes those that were made before then, a few thousand at most; how many there were.
Result<std::size_t> delete_responses_before(Database& database, access::UtcTime time);

}  // namespace runnel::storage
