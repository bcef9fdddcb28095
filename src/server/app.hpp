#pragma once

#include "exchange/continuity.hpp"
#include "exchange/gateway.hpp"
#include "http/connection.hpp"
#include "telemetry/request_log.hpp"

#include <string>
#include <string_view>

namespace runnel::server {

// The gateway's endpoints: finds who answers a request, and sees to what every answer has (request
// id, CORS, a log line). One per thread.
class App final : public http::RequestHandler {
public:
    // All pointers must outlive the app.
    App(const exchange::Gateway* gateway, exchange::Worker* worker,
        exchange::Continuity* continuity);

    boost::asio::awaitable<void> handle(http::Transaction transaction) override;
    std::string describe(const Error& error, const http::Request* request,
                         http::HeaderList* headers) override;

    // Requests being answered right now.
    int open_requests() const { return open_requests_; }

private:
    using Answer = boost::asio::awaitable<void>;
    struct Endpoint;

    Answer dispatch(http::Transaction* transaction, telemetry::RequestRecord* record);
    static const Endpoint* find(std::string_view path);
    Answer chat(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer models(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer health(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer home(http::Transaction* transaction, telemetry::RequestRecord* record);
    Answer preflight(http::Transaction* transaction);
    Answer refuse(http::Transaction* transaction, telemetry::RequestRecord* record, Error error);

    const exchange::Gateway* gateway_;
    exchange::Worker* worker_;
    exchange::Continuity* continuity_;
    std::int64_t started_;
    int open_requests_ = 0;
};

}  // namespace runnel::server
