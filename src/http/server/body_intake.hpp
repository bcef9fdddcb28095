#pragma once

#include "http/server/hangup.hpp"
#include "http/server/open_connections.hpp"
#include "http/server/request_body.hpp"
#include "http/server/responder.hpp"
#include "http/stop.hpp"
#include "http/stream.hpp"
#include "http/watchdog.hpp"

#include <chrono>
#include <string>

namespace runnel::http {

// Takes in the body of the request that is being answered, once its handler knows that it wants it.
// Until then nothing of it is read but what came along with the head, and if nobody wants it, the
// connection closes after the answer.
class BodyIntake {
public:
    // What belongs to the connection. All of it outlives the intake.
    struct Connection {
        Stream* stream;
        std::string* pending;  // bytes of a next request
        Watchdog* watchdog;
        OpenConnections::Entry* entry;
        HangupWatch* hangup;
        RequestBody::Limits limits;
        // The body must bring limits::request_body_rate bytes a second, averaged over such a time.
        std::chrono::milliseconds body_time;
    };
    BodyIntake(Connection connection, RequestBody* body, Request* request, Responder* responder,
               Stop* stop);

    // What bodies are taken within, unless the handler knows better.
    RequestBody::Limits limits() const { return connection_.limits; }

    enum class Progress { whole, waits };
    // Takes what has come. Nearly always that is all; otherwise rest() must be awaited.
    Result<Progress> begin(RequestBody::Limits limits);
    // Waits for the rest, as long as it comes on. An error after which the client is gone has told
    // `stop` so.
    awaitable<Result<void>> rest();

private:
    awaitable<Result<void>> read_on();
    void watch_for_hangup();

    Connection connection_;
    RequestBody* body_;
    Request* request_;
    Responder* responder_;
    Stop* stop_;
};

}  // namespace runnel::http
