#pragma once

#include "telemetry/request_log.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace runnel::telemetry {

// Who tells the spans.
struct TraceSource {
    std::string service_name;
    std::string version;
    std::string instance_id;
};

// How many spans a request has: its own, one for each attempt, and one for each run of a tool.
std::size_t span_count(const RequestRecord& record);

// The spans of requests that are over, as a collector takes them: an ExportTraceServiceRequest of
// OTLP in JSON, with the names of OpenTelemetry's conventions for generative AI. Nothing of what
// was said is in it, nor what others made of it in their errors.
std::string write_otlp(const TraceSource& source, std::span<const RequestRecord> records);

}  // namespace runnel::telemetry
