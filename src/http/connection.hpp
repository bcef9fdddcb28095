#pragma once

#include "http/hangup.hpp"
#include "http/open_connections.hpp"
#include "http/request_reader.hpp"
#include "http/responder.hpp"
#include "http/stop.hpp"
#include "http/stream.hpp"
#include "http/watchdog.hpp"

#include <memory>
#include <string>

namespace runnel::http {

// What a request is answered with, and what can end it early.
struct Transaction {
    Request request;
    Responder* responder;
    Stop* stop;          // told when the client hangs up; time-outs may tell it too
    Watchdog* watchdog;  // free for the handler while it answers
    Stream* client;
    asio::any_io_executor executor;
    std::string client_address;
};

// Answers requests, one after the other on each connection.
class RequestHandler {
public:
    virtual ~RequestHandler() = default;
    // `transaction` outlives the call.
    virtual awaitable<void> handle(Transaction* transaction) = 0;
    // A request that could not be read: the reply's body and header fields. `request` has what was
    // read of it.
    virtual std::string describe(const Error& error, const Request* request,
                                 HeaderList* headers) = 0;
};

struct ConnectionLimits {
    RequestReader::Limits request;
};

// The server's side of one client connection, until it closes. `place` is kept up to date.
awaitable<void> serve_connection(Stream stream, RequestHandler* handler, ConnectionLimits limits,
                                 OpenConnections::Place* place);

}  // namespace runnel::http
