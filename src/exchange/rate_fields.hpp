#pragma once

#include "http/headers.hpp"
#include "policy/meter.hpp"

namespace runnel::exchange {

// X-RateLimit-Limit, -Remaining and -Reset, which is in Unix seconds.
void add_rate_fields(const policy::RateState& rate, policy::UtcTime now, http::HeaderList* headers);
bool has_rate_fields(const http::HeaderList& headers);

}  // namespace runnel::exchange
