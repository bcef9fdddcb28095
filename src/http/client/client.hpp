#pragma once

#include "base/header_field.hpp"
#include "http/client/call.hpp"
#include "http/client/connection_pool.hpp"
#include "http/client/url.hpp"
#include "http/message/headers.hpp"
#include "http/stop.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::http {

// A response that was read whole, or as far as it was wanted.
struct ClientResponse {
    int status = 0;
    HeaderList headers{};
    std::string body{};
    enum class Body { whole, cut } end = Body::whole;
};

// A request whose response is wanted whole.
struct ClientRequest {
    std::string method = "GET";
    Url url{};
    std::vector<HeaderField> headers{};
    std::string body{};
    std::size_t response_bytes_max = 0;  // of the body; the rest is not read
    // Asking twice does no harm, as with every GET. Only then is a kept connection used: one may
    // break when nobody can tell whether the request was heard.
    bool repeatable = false;
    // As of Destination. Where it is set, the connection is a new one and is not kept: the address
    // is looked at each time.
    bool (*may_connect_to)(const asio::ip::address&) = nullptr;
    // Whether the body is wanted, now that the head is there; null: always.
    bool (*wants_body)(const ClientResponse& head) = nullptr;
};

// How one thread asks others: providers, tools, guardrail checks, collectors, another gateway. A
// deadline is a stop (http/timed_stop.hpp); heads have their limit in ResponseReader.
class Client {
public:
    // `tls` as ClientTls takes it.
    Client(asio::io_context* loop, TaskGroup* tasks, UpstreamTls* tls) : pool_(loop, tasks, tls) {}

    // A response that comes read by read. The destination must outlive it.
    Call call(const Destination* destination) { return {&pool_, destination}; }

    // Asks once, by the environment's proxy where there is one, and follows no redirect. Any status
    // is a response; an error names the origin, in words for people and models. A stop ends it at
    // once.
    awaitable<Result<ClientResponse>> fetch(ClientRequest request, Stop* stop);

    // From any thread.
    ConnectionPool::Figures figures() const { return pool_.figures(); }

private:
    ConnectionPool pool_;
};

// "text/html" of "Text/HTML; charset=utf-8".
std::string media_type(std::string_view content_type);

}  // namespace runnel::http
