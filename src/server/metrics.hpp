#pragma once

#include "exchange/gateway.hpp"
#include "exchange/shared_state.hpp"

#include <string>
#include <string_view>

namespace runnel::server {

inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

// GET /metrics: what this process does and did since it began, in Prometheus's text format. Reads
// what all threads count, from any thread; takes a few milliseconds where there is much.
std::string metrics_text(const exchange::Gateway& gateway, const exchange::SharedState& shared);

}  // namespace runnel::server
