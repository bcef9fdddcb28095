#pragma once

#include "base/result.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::agent {

// What clocks in a zone show at one moment.
struct ZoneOffset {
    std::chrono::seconds east_of_utc{};
    std::string abbreviation{};  // "CET"
};

using UtcTime = std::chrono::sys_seconds;

// From the text of a zone file (TZif, RFC 8536); nothing where it is none.
std::optional<ZoneOffset> offset_at(std::string_view zone_file, UtcTime time);

// From a rule such as "CET-1CEST,M3.5.0,M10.5.0/3", which a zone file ends with.
std::optional<ZoneOffset> offset_by_rule(std::string_view rule, UtcTime time);

// The file of an IANA name such as "Europe/Berlin". The error is for the model.
Result<std::string> read_zone_file(std::string_view name);

}  // namespace runnel::agent
