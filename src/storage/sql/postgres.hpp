#pragma once

#include "base/secret.hpp"
#include "storage/limits.hpp"
#include "storage/sql/sql.hpp"

#include <chrono>
#include <memory>

namespace runnel::storage {

// Connects when it is first used, and again, after growing pauses, when the connection is lost; in
// a pause each call fails at once. The tables are migrated on the first connection. Fails where the
// URL is none.
Result<std::unique_ptr<Database>>
open_postgres(const Secret& url, std::chrono::milliseconds statement_time = limits::statement_time);

}  // namespace runnel::storage
