#include "http/server/body_intake.hpp"

#include "base/limits.hpp"
#include "http/read_buffer.hpp"

#include <fmt/format.h>

namespace runnel::http {
namespace {

using Clock = std::chrono::steady_clock;

// That must have come before the time for it is over.
std::size_t progress_bytes(std::chrono::milliseconds time) {
    return limits::request_body_rate * static_cast<std::size_t>(time.count()) / 1000;
}

}  // namespace

BodyIntake::BodyIntake(Connection connection, RequestBody* body, Request* request,
                       Responder* responder, Stop* stop)
    : connection_(connection),
      body_(body),
      request_(request),
      responder_(responder),
      stop_(stop) {
    if (body_->has_come())
        watch_for_hangup();
    else
        responder_->leaves_body_unread();
}

Result<BodyIntake::Progress> BodyIntake::begin(RequestBody::Limits limits) {
    if (auto begun = body_->begin(request_->headers, limits); !begun) return propagate(begun);
    if (!body_->is_whole()) return Progress::waits;
    request_->body = body_->take();
    return Progress::whole;
}

awaitable<Result<void>> BodyIntake::rest() {
    connection_.entry->reads_request();
    auto outcome = co_await read_on();
    connection_.watchdog->stop();
    connection_.entry->answers(responder_, stop_);
    if (!outcome) co_return outcome;
    request_->body = body_->take();
    responder_->has_read_body();
    watch_for_hangup();
    co_return outcome;
}

awaitable<Result<void>> BodyIntake::read_on() {
    Stream* stream = connection_.stream;
    bool timed_out = false;
    connection_.watchdog->set(Clock::now() + connection_.body_time, [stream, &timed_out] {
        timed_out = true;
        stream->cancel();
    });
    const std::size_t step = progress_bytes(connection_.body_time);
    std::size_t goal = body_->received() + step;
    error_code error;
    if (request_->expects == Request::Expects::leave_to_send && body_->received() == 0)
        error = co_await stream->write("HTTP/1.1 100 Continue\r\n\r\n");
    while (!error && !body_->is_whole()) {
        if (body_->is_behind()) {
            co_await stream->others_first();
            if (auto inflated = body_->inflate(); !inflated) co_return inflated;
            continue;
        }
        if (!stream->more_to_read())
            std::tie(error) = co_await stream->readable();
        else if (stream->must_yield())
            co_await stream->others_first();
        if (timed_out)
            co_return fail(ErrorKind::request_timeout,
                           fmt::format("the request's body did not come on in time: {} bytes a "
                                       "second are the least, over each {} ms (limits.body_time)",
                                       limits::request_body_rate, connection_.body_time.count()));
        if (error) break;
        const auto space = read_buffer();
        const std::size_t count = stream->read_now(space, error);
        if (error == asio::error::would_block) {
            error = {};
            continue;
        }
        if (error) break;
        const std::string_view bytes(space.data(), count);
        auto taken = body_->feed(bytes);
        if (!taken) co_return propagate(taken);
        connection_.pending->assign(bytes.substr(*taken));
        if (body_->received() < goal) continue;
        goal = body_->received() + step;
        connection_.watchdog->move_to(Clock::now() + connection_.body_time);
    }
    if (!error) co_return Result<void>{};
    stop_->request(Stop::Reason::client_gone);
    co_return fail(ErrorKind::request_timeout, "the client left before its request was whole");
}

void BodyIntake::watch_for_hangup() {
    connection_.hangup->start([stop = stop_] { stop->request(Stop::Reason::client_gone); });
}

}  // namespace runnel::http
