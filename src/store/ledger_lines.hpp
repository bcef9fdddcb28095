#pragma once

#include "store/records.hpp"

#include <string>
#include <vector>

namespace runnel::store {

// The lines of one request, as they stand in the ledger: a JSON array.
void append_lines_json(std::string& out, const std::vector<LedgerLine>& lines);
std::vector<LedgerLine> read_lines(std::string json);

}  // namespace runnel::store
