#pragma once

#include "policy/key.hpp"

#include <chrono>
#include <cstdint>

// Times as they stand in the tables: milliseconds since 1970, in UTC.
namespace runnel::store {

inline std::int64_t ms_of(policy::UtcTime time) { return time.time_since_epoch().count(); }
inline policy::UtcTime time_of(std::int64_t ms) {
    return policy::UtcTime(std::chrono::milliseconds(ms));
}

inline constexpr std::int64_t hour_ms = 3'600'000;
inline constexpr std::int64_t day_ms = 24 * hour_ms;

// The hour in which it lies.
inline std::int64_t hour_of(std::int64_t ms) { return ms - ((ms % hour_ms) + hour_ms) % hour_ms; }

}  // namespace runnel::store
