#pragma once

#include "exchange/gateway.hpp"
#include "exchange/shared_state.hpp"
#include "http/listener.hpp"
#include "server/app.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

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
        server::Operations* operations;
    };
    Shard(const Common& common, const std::shared_ptr<const exchange::Gateway>& gateway,
          http::ConnectionLimits limits);

    Result<void> listen(const std::string& address) { return listener_.listen(address); }
    unsigned short port() const { return listener_.port(); }

    // Serves until it is stopped.
    void run();

    // These from any thread.

    // What a config that was read again says; `done` is called when it is in use here.
    void use(const std::shared_ptr<const exchange::Gateway>& gateway, http::ConnectionLimits limits,
             std::function<void()> done);
    // Takes no more connections, and ends the loop when the open requests are answered or time is
    // up.
    void stop();
    void stop_now() { loop_.stop(); }

private:
    void end_when_idle();

    boost::asio::io_context loop_;
    exchange::Worker worker_;
    server::App app_;
    http::Listener listener_;
    boost::asio::steady_timer check_timer_{loop_};
    std::chrono::steady_clock::time_point deadline_;
};

}  // namespace runnel::cli
