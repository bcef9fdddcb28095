#pragma once

#include "base/error.hpp"
#include "http/message/headers.hpp"
#include "metering/meter.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace runnel::exchange {

// X-RateLimit-Limit, -Remaining and -Reset, which is in Unix seconds.
void add_rate_fields(const metering::RateState& rate, access::UtcTime now,
                     http::HeaderList* headers);
bool has_rate_fields(const http::HeaderList& headers);

// Whoever is told to come back later is told when.
inline void add_retry_after(const Error& error, http::HeaderList* headers) {
    const int status = shape_of(error.kind).status;
    if (status != 429 && status != 503) return;
    const auto wait = error.retry_after.value_or(std::chrono::seconds(1));
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    headers->add("Retry-After", std::to_string(std::max<long>(1, seconds)));
}

}  // namespace runnel::exchange
