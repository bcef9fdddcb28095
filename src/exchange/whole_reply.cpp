#include "exchange/whole_reply.hpp"

#include "base/limits.hpp"
#include "exchange/admission/limit_headers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

namespace runnel::exchange {

using boost::asio::awaitable;

void add_served_fields(const telemetry::RequestRecord& record, http::HeaderList* headers) {
    headers->add("X-Model-Used", record.model_served);
    headers->add("X-Gateway-Attempts", std::to_string(record.attempts.size()));
    if (!record.warnings.empty())
        headers->add("X-Gateway-Warnings", fmt::format("{}", fmt::join(record.warnings, ", ")));
}

awaitable<void> send_whole(http::Transaction* transaction, int status, std::string body) {
    http::Stream* client = transaction->client;
    transaction->watchdog->set(std::chrono::steady_clock::now() + limits::blocked_client_time,
                               [client] { client->close(); });
    if (co_await transaction->responder->send(status, body))
        transaction->stop->request(http::Stop::Reason::client_gone);
}

awaitable<void> send_refusal(http::Transaction* transaction, const telemetry::RequestRecord* record,
                             const api::Api* api, Error error) {
    http::HeaderList& headers = transaction->responder->headers();
    headers.add("Content-Type", "application/json");
    if (record->attempts.size() > 1)
        headers.add("X-Gateway-Attempts", std::to_string(record->attempts.size()));
    const int status = api->error_status(error);
    add_retry_after(error, &headers);
    co_await send_whole(transaction, status, api->error_body(error));
}

}  // namespace runnel::exchange
