#pragma once

#include "base/limits.hpp"

#include <cstddef>

// What bounds answers that run without their clients.
namespace runnel::exchange::limits {

using namespace runnel::limits;  // what they do not say is as everywhere

inline constexpr std::size_t background_responses = 1'000;       // of this process, at a time
inline constexpr std::size_t background_responses_of_one = 100;  // caller; others have some too
inline constexpr std::size_t kept_stream_bytes = 16 * mib;  // of one; a long answer's frames fit
inline constexpr auto background_lease_time = 60s;  // then its process is taken to have died
inline constexpr auto background_renewal_time = 10s;

}  // namespace runnel::exchange::limits
