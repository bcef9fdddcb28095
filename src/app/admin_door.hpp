#pragma once

#include "app/shard.hpp"
#include "config/config.hpp"
#include "server/console/console_state.hpp"

#include <string>
#include <string_view>

// How the admin of a gateway gets in on its own machine.
namespace runnel::app {

// Where the admin's programs find the gateway that has this data folder.
std::string admin_socket(std::string_view data);

// Has the shard listen there. Where that can't be, the gateway serves without it, and the log says
// why.
void open_admin_socket(const config::Config& config, Shard* shard);

// What `serve` says about the console at this address. Where the config has no token, a person at a
// terminal gets a link that opens it; in a log, which others may read, there is no such link, but
// the command that prints one.
std::string console_hint(const config::Config& config, server::ConsoleState* console);

}  // namespace runnel::app
