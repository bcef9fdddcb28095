#pragma once

#include "access/key.hpp"

#include <chrono>
#include <cstdint>

// Times as they stand in the tables: milliseconds since 1970, in UTC.
namespace runnel::storage {

inline std::int64_t ms_of(access::UtcTime time) { return time.time_since_epoch().count(); }
inline access::UtcTime time_of(std::int64_t ms) {
    return access::UtcTime(std::chrono::milliseconds(ms));
}

inline constexpr std::int64_t hour_ms = 3'600'000;
inline constexpr std::int64_t day_ms = 24 * hour_ms;

// The hour in which it lies.
inline std::int64_t hour_of(std::int64_t ms) { return ms - ((ms % hour_ms) + hour_ms) % hour_ms; }

}  // namespace runnel::storage
