#pragma once

#include "exchange/gateway.hpp"
#include "exchange/shared_state.hpp"
#include "http/connection.hpp"
#include "server/operations.hpp"
#include "telemetry/request_log.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace runnel::server {

// The gateway's endpoints: finds who answers a request, and sees to what every answer has (request
// id, CORS, a log line). One per thread.
class App final : public http::RequestHandler {
public:
    // All pointers must outlive the app.
    App(std::shared_ptr<const exchange::Gateway> gateway, exchange::Worker* worker,
        exchange::SharedState* shared, Operations* operations);

    // For the requests that come from now on.
    void use(std::shared_ptr<const exchange::Gateway> gateway) { gateway_ = std::move(gateway); }

    boost::asio::awaitable<void> handle(http::Transaction* transaction) override;
    std::string describe(const Error& error, const http::Request* request,
                         http::HeaderList* headers) override;

    // From now on whoever asks is told that this process wants no more requests.
    void begin_drain() { draining_ = true; }

private:
    using Answer = boost::asio::awaitable<void>;
    struct Endpoint;

    // What every request has: an id, CORS fields, the beginning of its log line.
    telemetry::RequestRecord begin(const http::Request& request, http::HeaderList* headers);
    Answer dispatch(http::Transaction* transaction, telemetry::RequestRecord* record);
    static const Endpoint* find(std::string_view path);
    Result<void> admits(const http::Transaction& transaction) const;
    Answer chat(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer models(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer tools(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer run_tool(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer health(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer readiness(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer providers(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer reload_config(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer home(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer preflight(http::Transaction* transaction);
    Answer turn_away(http::Transaction* transaction, telemetry::RequestRecord* record, Error error);
    Answer refuse(http::Transaction* transaction, telemetry::RequestRecord* record, Error error);
    Answer send_result(http::Transaction* transaction, telemetry::RequestRecord* record,
                       Result<std::string> body);
    static Answer send_json(http::Transaction* transaction, int status, std::string body);

    std::shared_ptr<const exchange::Gateway> gateway_;
    exchange::Worker* worker_;
    exchange::SharedState* shared_;
    Operations* operations_;
    std::int64_t started_;
    bool draining_ = false;
};

}  // namespace runnel::server
