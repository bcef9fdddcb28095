#pragma once

#include "http/message/headers.hpp"
#include "metering/meter.hpp"

namespace runnel::exchange {

// X-RateLimit-Limit, -Remaining and -Reset, which is in Unix seconds.
void add_rate_fields(const metering::RateState& rate, access::UtcTime now,
                     http::HeaderList* headers);
bool has_rate_fields(const http::HeaderList& headers);

}  // namespace runnel::exchange
