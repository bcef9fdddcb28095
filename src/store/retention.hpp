#pragma once

#include "store/records.hpp"
#include "store/sql.hpp"

#include <cstddef>
#include <string_view>

// Taking away what was kept. Ledger and roll-ups stay.
namespace runnel::store {

struct Forgotten {
    std::size_t records = 0;
    bool more = false;  // there is more to do: call again
};

// Deletes records and timelines of requests that began before then, a few thousand at most, so that
// nobody waits for it long.
Result<Forgotten> forget_before(Database& database, policy::UtcTime time);

// Records of requests that began before then are gone, or soon will be.
Result<policy::UtcTime> read_kept_since(Database& database);

// Deletes what was said in one request; how many there were.
Result<std::size_t> forget_content(Database& database, std::string_view entry_id);

}  // namespace runnel::store
