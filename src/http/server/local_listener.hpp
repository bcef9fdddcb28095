#pragma once

#include "base/result.hpp"
#include "http/server/connection.hpp"
#include "http/task_group.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <string>
#include <utility>

#include <sys/types.h>

namespace runnel::http {

// Accepts connections of this machine's on a socket in the file system, which only the user that
// the process runs as can connect to; programs that the process keeps in a sandbox get no answer. A
// newer process takes the name over, and the older one leaves
// it alone when it goes.
class LocalListener {
public:
    // All pointers must outlive the listener, and `connections` the loop too.
    LocalListener(asio::io_context* loop, TaskGroup* tasks, RequestHandler* handler,
                  ConnectionLimits limits, OpenConnections* connections);
    ~LocalListener();
    LocalListener(const LocalListener&) = delete;
    LocalListener& operator=(const LocalListener&) = delete;

    // Takes the name, be it another process's or left behind by one.
    Result<void> listen(const std::string& path);
    void start();
    // For the connections that come from now on.
    void use(ConnectionLimits limits) { limits_ = limits; }
    // Takes no more connections, and gives the name back.
    void stop();

private:
    using Acceptor = asio::local::stream_protocol::acceptor;

    awaitable<void> accept_all();
    awaitable<void> serve(asio::local::stream_protocol::socket socket);

    asio::io_context* loop_;
    TaskGroup* tasks_;
    RequestHandler* handler_;
    ConnectionLimits limits_;
    OpenConnections* connections_;
    Acceptor acceptor_;
    std::string path_;
    std::pair<dev_t, ino_t> file_{};  // what the name stood for when it was taken
};

}  // namespace runnel::http
