#pragma once

#include "storage/records/records.hpp"
#include "storage/sql/sql.hpp"

#include <cstddef>
#include <string_view>

// Taking away what was kept. Ledger and roll-ups stay.
namespace runnel::storage {

struct Forgotten {
    std::size_t records = 0;
    bool more = false;  // there is more to do: call again
};

// Deletes records and timelines of requests that began before then, a few thousand at most, so that
// nobody waits for it long.
Result<Forgotten> forget_before(Database& database, access::UtcTime time);

// Records of requests that began before then are gone, or soon will be.
Result<access::UtcTime> read_kept_since(Database& database);

// Deletes what was said in one request; how many there were.
Result<std::size_t> forget_content(Database& database, std::string_view entry_id);

}  // namespace runnel::storage
