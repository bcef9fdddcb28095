#pragma once

#include "exchange/gateway.hpp"
#include "exchange/shared_state.hpp"
#include "exchange/worker.hpp"
#include "http/server/listener.hpp"
#include "http/server/local_listener.hpp"
#include "http/server/open_connections.hpp"
#include "server/app.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace runnel::app {

// One core's share of the gateway: its own loop, acceptor, upstream connections and parser.
class Shard {
public:
    // What all shards share; it must outlive them.
    struct Common {
        exchange::SharedState* state;
        http::UpstreamTls* upstream_tls;
        http::ConnectionSlots* slots;
        std::size_t essential_connections;  // of each shard, for which there need be no slot
        server::ConsoleState* console;
        server::Operations* operations;
    };
    Shard(const Common& common, const std::shared_ptr<const exchange::Gateway>& gateway,
          http::Entrance entrance, storage::JournalWriter* journal);

    Result<void> listen(const std::string& address, http::Listener::Port port) {
        return listener_.listen(address, port);
    }
    http::tcp::endpoint endpoint() const { return listener_.endpoint(); }
    int socket() { return listener_.socket(); }
    // Besides: the socket by which the admin's programs come.
    Result<void> listen_locally(const std::string& path) { return local_listener_.listen(path); }

    // Serves until it is stopped.
    void run();

    // These from any thread.

    // What a config that was read again says; `done` is called when it is in use here.
    void use(const std::shared_ptr<const exchange::Gateway>& gateway, http::Entrance entrance,
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
    http::LocalListener local_listener_;
};

}  // namespace runnel::app
