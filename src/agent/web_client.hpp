#pragma once

#include "agent/url.hpp"
#include "http/connection_pool.hpp"
#include "http/stop.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <utility>
#include <vector>

namespace runnel::agent {

// The first lines of an answer, and what was read of its body.
struct WebAnswer {
    int status = 0;
    std::string content_type{};  // as it came, e.g. "text/html; charset=utf-8"
    std::string location{};      // of a redirect
    std::string retry_after{};   // as it came
    std::string body{};
    enum class Body { whole, cut } end = Body::whole;
};

struct WebRequest {
    std::string method = "GET";
    Url url{};
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    std::size_t answer_bytes_max = 0;  // of the body; the rest is not read
    bool (*may_connect_to)(const boost::asio::ip::address&) = nullptr;  // null: anywhere
    // Whether the body is wanted, now that the head is there; null: always.
    bool (*wants_body)(const WebAnswer& head) = nullptr;
};

// Asks once, on a connection of its own, and follows no redirect. Any status is an answer; an error
// is told in words for a model. A stop ends it at once.
boost::asio::awaitable<Result<WebAnswer>> ask_web(http::ConnectionPool* pool, WebRequest request,
                                                  http::Stop* stop);

// "text/html" of "Text/HTML; charset=utf-8".
std::string media_type(std::string_view content_type);

}  // namespace runnel::agent
