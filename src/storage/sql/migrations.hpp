#pragma once

#include "storage/sql/sql.hpp"

namespace runnel::storage {

// Brings the tables to the version that this program knows, step by step, never back; several
// processes may do it at once. A database that a newer program has changed is refused.
Result<void> migrate(Database& database);

}  // namespace runnel::storage
