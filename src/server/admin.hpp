#pragma once

#include "base/result.hpp"
#include "exchange/gateway.hpp"
#include "exchange/shared_state.hpp"
#include "json/writer.hpp"
#include "server/operations.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace runnel::server {

// Has the config read again, and waits for it on the caller's own loop.
boost::asio::awaitable<Operations::Reloaded> reload(Operations* operations, store::Actor by);

// What the admin API answers with, as JSON.
std::string reload_answer(const Operations::Reloaded& outcome);

// GET /admin/v1/config: the text that is in use, its secrets masked.
std::string config_answer(const Operations::ConfigText& config);
// POST /admin/v1/config/check, whose request is {"text"}: what is wrong with that config.
Result<std::string> config_check_answer(std::string_view body, const Operations& operations);

// "requests": how many run and wait.
void write_requests(json::Writer* out, const exchange::Admission::Figures& figures);

// GET /admin/v1/providers: each provider, and how its lines fare.
std::string providers_answer(const exchange::Gateway& gateway, const exchange::SharedState& state,
                             router::Health::Time now);
// GET /readyz?verbose: the same in short.
std::string readiness_answer(std::string_view status, const exchange::Gateway& gateway,
                             const exchange::SharedState& state, router::Health::Time now);

}  // namespace runnel::server
