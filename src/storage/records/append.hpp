#pragma once

#include "storage/records/records.hpp"
#include "storage/sql/sql.hpp"

#include <cstddef>
#include <span>

namespace runnel::storage {

struct Appended {
    std::size_t added = 0;
    std::size_t known = 0;    // were there already
    std::size_t refused = 0;  // the database takes all but these; each is logged
};

// Adds what is not there yet, with its ledger lines and its share in the roll-ups, in one
// transaction; appending it again changes nothing. After an error (store_unavailable) the same
// batch can be given again. A record that can't be stored whatever one does is left out, so that it
// does not hold up the others.
Result<Appended> append(Database& database, std::span<const Record> batch);

}  // namespace runnel::storage
