#include "tools/mcp/http_exchange.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

namespace runnel::tools::mcp {

using boost::asio::awaitable;
using http::Stop;

namespace {

constexpr std::size_t session_id_bytes = limits::kib;

Error broke_off(const std::string& detail) {
    return {ErrorKind::upstream_truncated, "broke the connection off", {}, detail};
}

bool is_stream_type(std::string_view content_type) {
    constexpr std::string_view type = "text/event-stream";
    return ascii::equal_ignoring_case(content_type.substr(0, type.size()), type);
}

}  // namespace

HttpExchange::HttpExchange(http::Client* client, const http::Destination* destination,
                           json::Parser* parser)
    : call_(client->call(destination)),
      parser_(parser),
      decoder_(limits::frame_bytes) {}

awaitable<Result<void>> HttpExchange::send(http::RequestView request,
                                           http::ConnectionPool::Reuse reuse, Stop* stop) {
    auto opened = co_await call_.open(reuse, stop);
    if (!opened) {
        const Error& error = opened.error();
        co_return fail(
            {ErrorKind::upstream_unreachable,
             fmt::format("can't be reached: {}{}{}; is it running, is the URL right?",
                         error.message, error.detail.empty() ? "" : ": ", error.detail)});
    }
    auto sent = co_await call_.send(request, stop);
    if (!sent) co_return fail(broke_off(sent.error().detail));
    co_return Result<void>{};
}

awaitable<Result<void>> HttpExchange::read(Stop* stop) {
    co_await call_.read(this, stop);
    if (!outcome_) {
        const Error& error = outcome_.error();
        if (error.kind == ErrorKind::upstream_unreachable) co_return fail(broke_off(error.detail));
        co_return fail({error.kind, "answers with broken HTTP", {}, error.message});
    }
    if (too_much_ && status_ < 300)
        co_return fail(
            ErrorKind::upstream_malformed,
            fmt::format("sent more than {} MiB at once", limits::frame_bytes / limits::mib));
    if (done() && form_ == Form::body) take_text(Padded::of(body_));
    if (done() && form_ == Form::stream) (void)decoder_.finish(*this);
    co_return Result<void>{};
}

void HttpExchange::on_head(const http::ResponseHead& head) {
    status_ = head.status;
    const bool streamed = status_ < 300 && is_stream_type(head.headers.get("content-type"));
    form_ = streamed ? Form::stream : Form::body;
    session_id_ = head.headers.get("mcp-session-id").substr(0, session_id_bytes);
}

void HttpExchange::on_body(Padded bytes) {
    if (form_ == Form::stream) {
        if (!too_much_) too_much_ = !decoder_.feed(bytes, *this);
        return;
    }
    const std::size_t bytes_max = status_ < 300 ? limits::frame_bytes : limits::error_body_bytes;
    too_much_ |= body_.size() + bytes.size() > bytes_max;
    if (!too_much_) body_ += bytes.text();
}

void HttpExchange::on_frame(const framing::Frame& frame) {
    if (frame.event.empty() || frame.event == "message") take_text(frame.data);
}

void HttpExchange::take_text(Padded text) {
    if (text.text().find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    auto message = read_message(parser_, text);
    if (message) {
        messages_.push_back(std::move(*message));
    } else {
        any_unreadable_ = true;
    }
}

}  // namespace runnel::tools::mcp
