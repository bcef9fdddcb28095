#pragma once

#include "storage/sql/sql.hpp"

#include <filesystem>
#include <memory>

namespace runnel::storage {

// runnel.db in `data_folder`, for this user alone; both are made where they are missing. In WAL
// mode, so readers and the one writer don't wait for each other; a process that is killed loses
// nothing that was committed, a machine that loses power perhaps the last moments.
Result<std::unique_ptr<Database>> open_sqlite(const std::filesystem::path& data_folder);

// The same, opened when it is first used, and tried again after growing pauses where it can't be;
// in a pause each call fails at once.
std::unique_ptr<Database> open_sqlite_later(const std::filesystem::path& data_folder);

}  // namespace runnel::storage
