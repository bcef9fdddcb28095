#include "http/connection.hpp"

#include "base/limits.hpp"
#include "http/read_buffer.hpp"

#include <boost/asio/this_coro.hpp>

namespace runnel::http {
namespace {

using Clock = std::chrono::steady_clock;

enum class Outcome { request, closed, timed_out };

// Reads until the reader holds a whole request. `pending` keeps bytes that belong to a later
// request, or the part of the header that the parser wants to see again.
awaitable<Result<Outcome>> read_request(Stream* stream, RequestReader* reader, std::string* pending,
                                        Watchdog* watchdog, OpenConnections::Place* place) {
    bool timed_out = false;
    const auto on_timeout = [stream, &timed_out] {
        timed_out = true;
        stream->cancel();
    };
    watchdog->set(Clock::now() + limits::keep_alive_time, on_timeout);
    bool begun = false;
    error_code error;
    while (true) {
        if (!pending->empty()) {
            auto taken = reader->feed(*pending);
            if (!taken) co_return propagate(taken);
            pending->erase(0, *taken);
            if (reader->done()) co_return Outcome::request;
        }
        if (!begun && (reader->started() || !pending->empty())) {
            begun = true;
            place->reads_request();
            watchdog->set(Clock::now() + limits::request_read_time, on_timeout);
        }
        if (reader->wants_continue()) {
            reader->acknowledge_continue();
            error = co_await stream->write("HTTP/1.1 100 Continue\r\n\r\n");
            if (error) co_return Outcome::closed;
        }
        if (!stream->more_to_read()) std::tie(error) = co_await stream->readable();
        if (timed_out) co_return begun ? Outcome::timed_out : Outcome::closed;
        if (error) co_return Outcome::closed;
        // A thread's connections share the buffer: what is in it must be taken before the next
        // wait.
        const auto space = read_buffer();
        const std::size_t count = stream->read_now(space, error);
        if (error == asio::error::would_block) continue;
        if (error) co_return Outcome::closed;
        const std::string_view bytes(space.data(), count);
        if (!pending->empty()) {
            pending->append(bytes);
            continue;
        }
        auto taken = reader->feed(bytes);
        if (!taken) co_return propagate(taken);
        pending->assign(bytes.substr(*taken));
        if (reader->done()) co_return Outcome::request;
    }
}

// Tells the client why its request was not read, then gives it a moment to take the answer in:
// closing at once on bytes that are still arriving would reset the connection and lose it.
awaitable<void> refuse(Stream* stream, RequestHandler* handler, Request unread, Error error) {
    Responder responder(stream, unread);
    const std::string body = handler->describe(error, &unread, &responder.headers());
    responder.forbid_keep_alive();
    if (co_await responder.send(shape_of(error.kind).status, body)) co_return;
    error_code ignored;
    stream->socket().shutdown(tcp::socket::shutdown_send, ignored);
    Watchdog watchdog(co_await asio::this_coro::executor);
    watchdog.set(Clock::now() + std::chrono::seconds(2), [stream] { stream->close(); });
    for (error_code read_error; !read_error;) {
        std::tie(read_error) = co_await stream->readable();
        if (read_error) co_return;
        stream->read_now(read_buffer(), read_error);
        if (read_error == asio::error::would_block) read_error = {};
    }
}

}  // namespace

awaitable<void> serve_connection(Stream stream, RequestHandler* handler, ConnectionLimits limits,
                                 OpenConnections::Place* place) {
    place->is_at(&stream.socket());
    const auto executor = co_await asio::this_coro::executor;
    Watchdog watchdog(executor);
    RequestReader reader(limits.request);
    std::string pending;
    HangupWatch hangup(&stream, &pending);
    error_code ignored;
    const std::string address = stream.socket().remote_endpoint(ignored).address().to_string();
    while (true) {
        auto outcome = co_await read_request(&stream, &reader, &pending, &watchdog, place);
        watchdog.stop();
        if (!outcome) {
            co_await refuse(&stream, handler, reader.take(), std::move(outcome.error()));
            co_return;
        }
        if (*outcome == Outcome::timed_out) {
            co_await refuse(&stream, handler, reader.take(),
                            {ErrorKind::request_timeout, "the request did not arrive in time"});
            co_return;
        }
        if (*outcome == Outcome::closed) co_return;

        Stop stop;
        Transaction transaction{reader.take(), nullptr,  &stop,  &watchdog,
                                &stream,       executor, address};
        Responder responder(&stream, transaction.request);
        transaction.responder = &responder;
        place->answers(&responder, &stop);
        hangup.start([&stop] { stop.request(Stop::Reason::client_gone); });
        co_await handler->handle(&transaction);
        hangup.pause();
        watchdog.stop();
        const bool gone = stop.reason() == Stop::Reason::client_gone;
        if (gone || !responder.begun() || !responder.keeps_alive()) co_return;
        place->is_idle();
    }
}

}  // namespace runnel::http
