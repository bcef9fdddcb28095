#pragma once

#include "server/sessions.hpp"
#include "telemetry/recent_traffic.hpp"

namespace runnel::server {

// What the console needs to know and all threads share.
struct ConsoleState {
    Sessions sessions;
    telemetry::RecentTraffic traffic;
};

}  // namespace runnel::server
