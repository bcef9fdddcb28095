#pragma once

#include "server/operations.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace runnel::server {

// Has the config read again, and waits for it on the caller's own loop.
boost::asio::awaitable<Operations::Reloaded> reload(Operations* operations);

// What the admin API answers with, as JSON.
std::string reload_answer(const Operations::Reloaded& outcome);

}  // namespace runnel::server
