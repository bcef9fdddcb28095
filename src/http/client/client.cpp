#include "http/client/client.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace runnel::http {
namespace {

Error cannot_be_reached(const ClientRequest& request, const Error& why) {
    std::string message = fmt::format("{} can't be reached: {}", request.url.origin, why.message);
    if (!why.detail.empty()) message += fmt::format(" ({})", why.detail);
    return {ErrorKind::upstream_unreachable, std::move(message)};
}

Error broke_off(const ClientRequest& request, const Error& why) {
    if (why.kind == ErrorKind::upstream_unreachable)
        return {ErrorKind::upstream_truncated,
                fmt::format("{} broke the connection off", request.url.origin)};
    return {why.kind,
            fmt::format("{} answers with broken HTTP: {}", request.url.origin, why.message)};
}

Result<Destination> destination_of(const ClientRequest& request) {
    auto destination =
        find_destination(request.url.origin, "", [](const char* name) -> const char* {
            return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes it
        });
    if (destination) destination->may_connect_to = request.may_connect_to;
    return destination;
}

ConnectionPool::Reuse reuse_for(const ClientRequest& request) {
    using Reuse = ConnectionPool::Reuse;
    const bool repeatable = request.repeatable || request.method == "GET";
    return repeatable && request.may_connect_to == nullptr ? Reuse::allowed : Reuse::forbidden;
}

void add_usual_fields(ClientRequest& request) {
    if (!std::ranges::any_of(request.headers, [](const HeaderField& field) {
            return ascii::equal_ignoring_case(field.name, "accept");
        }))
        request.headers.emplace_back("Accept", "*/*");
    request.headers.emplace_back("Accept-Encoding", "identity");
    if (reuse_for(request) == ConnectionPool::Reuse::forbidden)
        request.headers.emplace_back("Connection", "close");
}

// Keeps a response as far as it is wanted.
class Reading final : public CallHandler {
public:
    explicit Reading(const ClientRequest* request) : request_(request) {}

    void on_head(const ResponseHead& head) override {
        response.status = head.status;
        response.headers = head.headers;
        const std::string_view encoding = head.headers.get("content-encoding");
        compressed = !encoding.empty() && !ascii::equal_ignoring_case(encoding, "identity");
        enough = compressed || (request_->wants_body != nullptr && !request_->wants_body(response));
    }
    void on_body(Padded bytes) override {
        if (enough) return;
        response.body += bytes.text();
        if (response.body.size() <= request_->response_bytes_max) return;
        response.body.resize(request_->response_bytes_max);
        response.end = ClientResponse::Body::cut;
        enough = true;
    }
    void on_read(const Result<void>& read) override { outcome = read; }

    ClientResponse response;
    Result<void> outcome;
    bool compressed = false;
    bool enough = false;

private:
    const ClientRequest* request_;
};

awaitable<Result<void>> ask_once(Call* call, const ClientRequest* request, Reading* reading,
                                 Stop* stop) {
    auto sent = co_await call->send(
        {request->method, request->url.target, request->headers, request->body}, stop);
    if (!sent) co_return sent;
    while (!call->response_done() && !reading->enough) {
        co_await call->read(reading, stop);
        if (!reading->outcome) co_return reading->outcome;
    }
    co_return Result<void>{};
}

}  // namespace

awaitable<Result<ClientResponse>> Client::fetch(ClientRequest request, Stop* stop) {
    auto destination = destination_of(request);
    if (!destination) co_return propagate(destination);
    add_usual_fields(request);
    Call call(&pool_, &*destination);
    Reading reading(&request);
    const auto reuse = reuse_for(request);
    auto opened = co_await call.open(reuse, stop);
    if (!opened) co_return fail(cannot_be_reached(request, opened.error()));
    auto asked = co_await ask_once(&call, &request, &reading, stop);
    // That it was closed meanwhile is nobody's fault.
    if (!asked && call.is_reused() && reading.response.status == 0 && !stop->requested()) {
        opened = co_await call.connect(stop);
        if (!opened) co_return fail(cannot_be_reached(request, opened.error()));
        asked = co_await ask_once(&call, &request, &reading, stop);
    }
    if (!asked) co_return fail(broke_off(request, asked.error()));
    if (reading.compressed)
        co_return fail(ErrorKind::upstream_malformed,
                       fmt::format("{} compressed its answer, which it was asked not to do",
                                   request.url.origin));
    if (call.response_done() && reuse == ConnectionPool::Reuse::allowed) call.finish();
    co_return std::move(reading.response);
}

std::string media_type(std::string_view content_type) {
    std::string type = ascii::lowered(content_type.substr(0, content_type.find(';')));
    while (type.ends_with(' ')) type.pop_back();
    return type;
}

}  // namespace runnel::http
