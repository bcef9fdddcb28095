#pragma once

#include "base/limits.hpp"
#include "base/memory_budget.hpp"
#include "http/server/body_intake.hpp"
#include "http/server/open_connections.hpp"
#include "http/server/request_reader.hpp"
#include "http/server/responder.hpp"
#include "http/server/trusted_proxies.hpp"
#include "http/stop.hpp"
#include "http/stream.hpp"
#include "http/watchdog.hpp"

#include <chrono>
#include <string>

namespace runnel::http {

// What a request is answered with, and what can end it early.
struct Transaction {
    Request request;   // its body is empty until it is taken
    BodyIntake* body;  // takes it
    Responder* responder;
    Stop* stop;          // told when the client hangs up; time-outs may tell it too
    Watchdog* watchdog;  // free for the handler while it answers
    Stream* client;
    asio::any_io_executor executor;
    std::string client_address;  // as far as trusted proxies say so, the client's own
    // Where there is no room, all but health checks and the admin are to be told so.
    OpenConnections::Service service = OpenConnections::Service::full;
};

// Answers requests, one after the other on each connection.
class RequestHandler {
public:
    virtual ~RequestHandler() = default;
    // Called as soon as the head is there. `transaction` outlives the call.
    virtual awaitable<void> handle(Transaction* transaction) = 0;
    // A request whose head could not be read: the reply's body and header fields. `request` has
    // what was read of it.
    virtual std::string describe(const Error& error, const Request* request,
                                 HeaderList* headers) = 0;
};

struct ConnectionLimits {
    std::size_t head_bytes;
    std::size_t body_bytes;
    std::chrono::milliseconds head_time = limits::request_read_time;
    std::chrono::milliseconds body_time = limits::request_read_time;  // see BodyIntake
    MemoryBudget* memory = nullptr;  // that bodies draw on; null: there is no limit
    std::shared_ptr<const TrustedProxies> proxies = std::make_shared<const TrustedProxies>();
};

// The server's side of one client connection, until it closes. `entry` is kept up to date.
awaitable<void> serve_connection(Stream stream, RequestHandler* handler, ConnectionLimits limits,
                                 OpenConnections::Entry* entry);

}  // namespace runnel::http
