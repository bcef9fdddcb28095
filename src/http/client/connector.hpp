#pragma once

#include "base/result.hpp"
#include "http/client/destination.hpp"
#include "http/client/resolver.hpp"
#include "http/client/upstream.hpp"
#include "http/stop.hpp"
#include "http/tls.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <vector>

namespace runnel::http {

// Makes connections: looks names up, connects to the address that answers first, tunnels through a
// proxy, and does the TLS handshake. One per thread.
class Connector {
public:
    // `tls` as ClientTls takes it.
    Connector(asio::io_context* loop, UpstreamTls* tls);

    // `destination` and `stop` must outlive the call. Messages are safe to show: they name no host.
    awaitable<Result<std::unique_ptr<UpstreamConnection>>> connect(const Destination* destination,
                                                                   Stop* stop);

private:
    awaitable<Result<std::unique_ptr<UpstreamConnection>>>
    connect_local(const Destination* destination, Stop* stop);
    awaitable<Result<std::vector<tcp::endpoint>>> resolve(std::string host, std::string port,
                                                          Stop* stop);
    awaitable<Result<std::vector<tcp::endpoint>>> resolve_allowed(const Destination* destination,
                                                                  Stop* stop);
    awaitable<Result<tcp::socket>> connect_tcp(std::vector<tcp::endpoint> endpoints, Stop* stop);

    asio::io_context* loop_;
    ClientTls tls_;
    Resolver resolver_;
};

}  // namespace runnel::http
