#pragma once

#include "exchange/gateway.hpp"
#include "exchange/shared_state.hpp"
#include "http/listener.hpp"
#include "http/open_connections.hpp"
#include "server/app.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace runnel::cli {

// One core's share of the gateway: its own loop, acceptor, upstream connections and parser.
class Shard {
public:
    // What all shards share; it must outlive them.
    struct Common {
        exchange::SharedState* state;
        http::UpstreamTls* upstream_tls;
        boost::asio::ssl::context* tls;  // the listener's; may be null
        server::ConsoleState* console;
        server::Operations* operations;
    };
    Shard(const Common& common, const std::shared_ptr<const exchange::Gateway>& gateway,
          http::ConnectionLimits limits, store::JournalWriter* journal);

    Result<void> listen(const std::string& address) { return listener_.listen(address); }
    unsigned short port() const { return listener_.port(); }
    int socket() { return listener_.socket(); }

    // Serves until it is stopped.
    void run();

    // These from any thread.

    // What a config that was read again says; `done` is called when it is in use here.
    void use(const std::shared_ptr<const exchange::Gateway>& gateway, http::ConnectionLimits limits,
             std::function<void()> done);
    // How long the end may take.
    struct Drain {
        std::chrono::milliseconds hand_over{0};      // new connections are taken meanwhile
        std::chrono::milliseconds late_requests{0};  // after that, for those on their way
        std::chrono::milliseconds timeout{0};        // for all of it
    };
    // Lets the open requests end, and the loop with the last of them.
    void drain(Drain drain);
    void stop_now() { loop_.stop(); }

private:
    using Clock = std::chrono::steady_clock;

    boost::asio::awaitable<void> drain_here(Drain drain);
    boost::asio::awaitable<void> all_closed(Clock::time_point deadline);

    http::OpenConnections connections_;  // first: the loop's last tasks still have their places
    boost::asio::io_context loop_;
    exchange::Worker worker_;
    server::App app_;
    http::Listener listener_;
};

}  // namespace runnel::cli
