#pragma once

#include "api/api.hpp"
#include "base/error.hpp"
#include "http/server/connection.hpp"
#include "telemetry/request_log.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

// What a client is sent in one piece, and what every answer has in its head.
namespace runnel::exchange {

// Who answered, after how many attempts, and what it should be warned of.
void add_served_fields(const telemetry::RequestRecord& record, http::HeaderList* headers);

// The body, with the headers that are there; a client that takes nothing for long is gone.
boost::asio::awaitable<void> send_whole(http::Transaction* transaction, int status,
                                        std::string body);

// An error, with its status and in the API's words. What the record has of it is the caller's.
boost::asio::awaitable<void> send_refusal(http::Transaction* transaction,
                                          const telemetry::RequestRecord* record,
                                          const api::Api* api, Error error);

}  // namespace runnel::exchange
