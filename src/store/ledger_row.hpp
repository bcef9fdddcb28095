#pragma once

#include "store/logs.hpp"

#include <string>

namespace runnel::store {

// SELECT … FROM ledger … WHERE those that have what is asked for, to be followed by AND.
std::string select_records(Detail detail);
// A row of it.
Record record_of(const Rows& rows, std::size_t row, Detail detail);

}  // namespace runnel::store
