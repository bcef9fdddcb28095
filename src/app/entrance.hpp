#pragma once

#include "base/result.hpp"
#include "config/config.hpp"
#include "http/server/listener.hpp"
#include "http/tls.hpp"

namespace runnel::app {

http::ServerTlsFiles tls_files(const config::Tls& tls);

// How clients come in, by the config; its TLS files are read.
Result<http::Entrance> open_entrance(const config::Config& config, http::ConnectionLimits limits);

}  // namespace runnel::app
