#pragma once

#include "base/result.hpp"
#include "http/connection.hpp"
#include "http/task_group.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include <string>
#include <string_view>

namespace runnel::http {

// One thread's acceptor. Every thread has its own on the same port (SO_REUSEPORT), so that no
// connection ever moves between threads.
class Listener {
public:
    // `tls` may be null. All pointers must outlive the listener, and `connections` the loop too.
    Listener(asio::io_context* loop, TaskGroup* tasks, RequestHandler* handler,
             asio::ssl::context* tls, ConnectionLimits limits, OpenConnections* connections);

    // "127.0.0.1:8080", "[::1]:8080", ":8080"; port 0 takes a free one.
    Result<void> listen(std::string_view address);
    unsigned short port() const;
    // For the connections that come from now on.
    void use(ConnectionLimits limits) { limits_ = limits; }
    int socket() { return acceptor_.native_handle(); }
    void start();
    // Takes the connections that have come so far, and no more.
    void stop();

private:
    awaitable<void> accept_all();
    awaitable<void> serve(tcp::socket socket);

    asio::io_context* loop_;
    TaskGroup* tasks_;
    RequestHandler* handler_;
    asio::ssl::context* tls_;
    ConnectionLimits limits_;
    OpenConnections* connections_;
    tcp::acceptor acceptor_;
};

}  // namespace runnel::http
