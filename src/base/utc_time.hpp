#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace runnel {

// RFC 3339: "2026-11-15T10:48:42Z", "2026-11-15T10:48:42.528+01:00". None where it is no such time,
// or before 1970.
std::optional<std::chrono::sys_time<std::chrono::milliseconds>>
read_utc_time(std::string_view text);

// The same, in UTC; milliseconds only where there are some.
std::string write_utc_time(std::chrono::sys_time<std::chrono::milliseconds> time);

}  // namespace runnel
