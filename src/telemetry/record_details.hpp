#pragma once

#include "telemetry/request_log.hpp"

#include <string_view>

// A record as the store keeps it, read back. Members that are not there stay as they are.
namespace runnel::telemetry {

// What append_details() wrote. What the ledger's columns say is in `record` already, but for the
// tokens: whether anything was counted stands in the details.
void read_details(std::string_view json, std::int64_t tokens_read, std::int64_t tokens_written,
                  RequestRecord& record);

// What append_cost_lines() wrote.
void read_cost_lines(std::string_view json, RequestRecord& record);

}  // namespace runnel::telemetry
