#pragma once

#include "base/result.hpp"
#include "http/server/connection.hpp"
#include "http/task_group.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace runnel::http {

// What holds for connections from the moment they are accepted.
struct Entrance {
    ConnectionLimits limits;
    std::shared_ptr<asio::ssl::context> tls{};  // null: without; connections keep what they have
    // Each connection begins with a PROXY header, and comes from a trusted proxy.
    enum class ProxyProtocol { off, required } proxy_protocol = ProxyProtocol::off;
};

// "127.0.0.1:8080", "[::1]:8080", ":8080".
Result<tcp::endpoint> read_listen_address(std::string_view text);

// One thread's acceptor. Every thread has its own on the same port (SO_REUSEPORT), so that no
// connection ever moves between threads.
class Listener {
public:
    // All pointers must outlive the listener, and `connections` the loop too.
    Listener(asio::io_context* loop, TaskGroup* tasks, RequestHandler* handler, Entrance entrance,
             OpenConnections* connections);
    ~Listener();

    // Whether the port must be nobody's, or may be that of others of the same user: the other
    // threads of this process, and a process that this one takes over from.
    enum class Port { free, shared };
    // Port 0 takes a free one.
    Result<void> listen(std::string_view address, Port port);
    tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }
    // For the connections that come from now on.
    void use(Entrance entrance) { entrance_ = std::move(entrance); }
    int socket() { return acceptor_.native_handle(); }
    void start();
    // Takes the connections that have come so far, and no more.
    void stop();

private:
    using Service = OpenConnections::Service;

    awaitable<void> accept_all();
    awaitable<void> serve(tcp::socket socket, Service offered);
    awaitable<bool> read_proxy(tcp::socket* socket, OpenConnections::Entry* entry);
    Service keep_spare();
    bool free_a_descriptor();

    asio::io_context* loop_;
    TaskGroup* tasks_;
    RequestHandler* handler_;
    Entrance entrance_;
    OpenConnections* connections_;
    tcp::acceptor acceptor_;
    int spare_ = -1;  // a descriptor to accept a connection with when there is no other
};

}  // namespace runnel::http
