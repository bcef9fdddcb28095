#pragma once

#include "exchange/gateway.hpp"
#include "exchange/shared_state.hpp"
#include "exchange/worker.hpp"
#include "http/server/connection.hpp"
#include "server/admin/operations.hpp"
#include "server/call.hpp"
#include "server/console/console_state.hpp"
#include "server/cors.hpp"
#include "server/metrics.hpp"
#include "telemetry/request_log.hpp"

#include <memory>
#include <string>

namespace runnel::server {

// Finds the endpoint that answers a request, lets in who may use it, and sees to what every answer
// has: request id, CORS, a log line. One per thread.
class App final : public http::RequestHandler {
public:
    // All pointers must outlive the app.
    App(std::shared_ptr<const exchange::Gateway> gateway, exchange::Worker* worker,
        exchange::SharedState* shared, ConsoleState* console, Operations* operations);

    // For the requests that come from now on.
    void use(std::shared_ptr<const exchange::Gateway> gateway);

    boost::asio::awaitable<void> handle(http::Transaction* transaction) override;
    std::string describe(const Error& error, const http::Request* request,
                         http::HeaderList* headers) override;

    // From now on whoever asks is told that this process wants no more requests.
    void begin_drain() { resources_.draining = true; }

private:
    // What every request has: an id, CORS fields, the beginning of its log line.
    telemetry::RequestRecord begin(const http::Request& request, http::HeaderList* headers);
    Answer dispatch(Call call);
    // Who calls, where they may.
    Result<access::Caller> admit(const Call& call);
    // What was let in.
    Answer answer(Call call);
    Answer preflight(http::Transaction* transaction);
    Pages pages_of(const http::Request& request);
    telemetry::TraceContext begin_trace(const http::HeaderList& headers) const;

    Resources resources_;
    ModelNames model_names_;  // the gateway's
};

}  // namespace runnel::server
