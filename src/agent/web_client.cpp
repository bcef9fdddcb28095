#include "agent/web_client.hpp"

#include "base/ascii.hpp"
#include "http/head_writer.hpp"
#include "http/read_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace runnel::agent {

using boost::asio::awaitable;
using http::Stop;

namespace {

Error unreachable(const WebRequest& request, const Error& why) {
    std::string message = fmt::format("{} can't be reached: {}", request.url.origin, why.message);
    if (!why.detail.empty()) message += fmt::format(" ({})", why.detail);
    return {ErrorKind::upstream_unreachable, std::move(message)};
}

Error broke_off(const WebRequest& request) {
    return {ErrorKind::upstream_truncated,
            fmt::format("{} broke the connection off", request.url.origin)};
}

Result<http::Destination> destination_of(const WebRequest& request) {
    http::Destination destination;
    auto origin = http::read_origin(request.url.origin);
    if (!origin) return propagate(origin);
    auto proxy = http::environment_proxy(*origin, [](const char* name) -> const char* {
        return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes it
    });
    if (!proxy) return propagate(proxy);
    destination.origin = std::move(*origin);
    destination.proxy = std::move(*proxy);
    destination.pool_key = request.url.origin;
    destination.may_connect_to = request.may_connect_to;
    return destination;
}

std::string render_head(const http::Origin& origin, const WebRequest& request) {
    const auto has = [&](std::string_view name) {
        return std::ranges::any_of(request.headers, [&](const auto& header) {
            return ascii::equal_ignoring_case(header.first, name);
        });
    };
    auto head = http::HeadWriter::request(request.method, request.url.target, origin.host_header);
    for (const auto& [name, value] : request.headers) head.field(name, value);
    if (!has("user-agent")) head.field("User-Agent", "runnel/" RUNNEL_VERSION);
    if (!has("accept")) head.field("Accept", "*/*");
    head.field("Accept-Encoding", "identity").field("Connection", "close");
    if (request.method != "GET" || !request.body.empty())
        head.number("Content-Length", request.body.size());
    return head.finish();
}

// Keeps an answer as far as it is wanted.
class Reading final : public http::ResponseHandler {
public:
    explicit Reading(const WebRequest* request) : request_(request) {}

    void on_head(const http::ResponseHead& head) override {
        answer.status = head.status;
        answer.content_type = head.headers.get("content-type");
        answer.location = head.headers.get("location");
        answer.retry_after = head.headers.get("retry-after");
        const std::string_view encoding = head.headers.get("content-encoding");
        compressed = !encoding.empty() && !ascii::equal_ignoring_case(encoding, "identity");
        enough = compressed || (request_->wants_body != nullptr && !request_->wants_body(answer));
    }
    void on_body(Padded bytes) override {
        if (enough) return;
        answer.body += bytes.text();
        if (answer.body.size() <= request_->answer_bytes_max) return;
        answer.body.resize(request_->answer_bytes_max);
        answer.end = WebAnswer::Body::cut;
        enough = true;
    }

    WebAnswer answer;
    bool compressed = false;
    bool enough = false;

private:
    const WebRequest* request_;
};

}  // namespace

awaitable<Result<WebAnswer>> ask_web(http::ConnectionPool* pool, WebRequest request, Stop* stop) {
    auto destination = destination_of(request);
    if (!destination) co_return propagate(destination);
    auto taken = co_await pool->take(&*destination, http::ConnectionPool::Reuse::forbidden, stop);
    if (!taken) co_return fail(unreachable(request, taken.error()));
    http::UpstreamConnection* const connection = taken->get();
    const std::string head = render_head(destination->origin, request);
    auto sent = co_await connection->send(head, request.body, stop);
    if (!sent) co_return fail(broke_off(request));

    Reading reading(&request);
    const Stop::Guard guard(stop, [connection] { connection->close(); });
    while (!connection->response_done() && !reading.enough) {
        boost::system::error_code error;
        if (connection->must_wait()) {
            std::tie(error) = co_await connection->readable();
        } else if (connection->must_yield()) {
            co_await connection->others_first();
        }
        if (error) co_return fail(broke_off(request));
        if (auto read = connection->read(http::padded_read_buffer(), &reading); !read) {
            if (read.error().kind == ErrorKind::upstream_unreachable)
                co_return fail(broke_off(request));
            co_return fail(read.error().kind,
                           fmt::format("{} answers with broken HTTP: {}", request.url.origin,
                                       read.error().message));
        }
    }
    if (reading.compressed)
        co_return fail(ErrorKind::upstream_malformed,
                       fmt::format("{} compressed its answer, which it was asked not to do",
                                   request.url.origin));
    co_return std::move(reading.answer);
}

std::string media_type(std::string_view content_type) {
    std::string type = ascii::lowered(content_type.substr(0, content_type.find(';')));
    while (type.ends_with(' ')) type.pop_back();
    return type;
}

}  // namespace runnel::agent
