#pragma once

#include "telemetry/request_log.hpp"

#include <string>

namespace runnel::telemetry {

// The error_kind of a request that was open when the gateway's process ended.
inline constexpr std::string_view crashed_error = "gateway_crashed";

// Appends what GET /v1/logs/{id} answers: one JSON object, on one line, in valid UTF-8, always with
// the same members; null where there was nothing. What looks like a credential is masked.
void append_record(std::string& out, const RequestRecord& record);

std::string record_json(const RequestRecord& record);

// The same for the store, where every byte is written several times: without what its ledger has in
// columns of its own, and without members that say nothing. read_details() (record_details.hpp)
// reads it.
void append_details(std::string& out, const RequestRecord& record);

// What it cost, line by line, as the ledger keeps it.
void append_cost_lines(std::string& out, const RequestRecord& record);

// How it went, in one word: ok, error, client_closed, crashed.
std::string_view outcome_of(const RequestRecord& record);

std::string_view name_of(RequestRecord::Provenance provenance);

}  // namespace runnel::telemetry
