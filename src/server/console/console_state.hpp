#pragma once

#include "server/console/guesses.hpp"
#include "server/console/sessions.hpp"
#include "telemetry/recent_traffic.hpp"

#include <string>
#include <string_view>

namespace runnel::server {

// What the console needs to know and all threads share.
struct ConsoleState {
    Sessions sessions;
    Tickets tickets;
    Guesses guesses;
    telemetry::RecentTraffic traffic;
    std::string url;  // where a person on this machine finds it; set before the threads run
};

// The address that opens the console with a ticket.
inline std::string console_link(std::string_view url, std::string_view ticket) {
    return std::string(url).append("/?ticket=").append(ticket);
}

}  // namespace runnel::server
