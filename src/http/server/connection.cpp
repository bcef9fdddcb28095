#include "http/server/connection.hpp"

#include "base/limits.hpp"
#include "http/read_buffer.hpp"

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace runnel::http {
namespace {

using Clock = std::chrono::steady_clock;

// A request's head, and what has come of its body.
struct Arrival {
    explicit Arrival(MemoryBudget* budget) : head_memory(budget) {}

    Request request;
    MemoryBudget::Share head_memory;
    RequestBody body;

    Result<void> count(std::size_t head_bytes) {
        if (head_memory.resize(head_bytes > limits::free_head_bytes ? head_bytes : 0)) return {};
        return fail(ErrorKind::overloaded,
                    "the gateway has no memory left for the request's head; try again later");
    }

    void take(RequestReader* reader, std::string_view bytes, std::string* rest) {
        request = reader->take();
        body = RequestBody(request.framing);
        // What is wrong with it is told to whoever wants it.
        const auto taken = body.feed(bytes);
        rest->assign(bytes.substr(taken ? *taken : bytes.size()));
    }
};

enum class Outcome { request, closed, timed_out };

// Reads until a request's head is whole, and takes of its body what came along with it. `pending`
// keeps bytes that belong to a later request.
awaitable<Result<Outcome>> read_head(Stream* stream, RequestReader* reader, std::string* pending,
                                     Watchdog* watchdog, OpenConnections::Entry* entry,
                                     std::chrono::milliseconds head_time, Arrival* arrival) {
    bool timed_out = false;
    const auto on_timeout = [stream, &timed_out] {
        timed_out = true;
        stream->cancel();
    };
    watchdog->set(Clock::now() + limits::keep_alive_time, on_timeout);
    bool begun = false;
    std::string early = std::exchange(*pending, {});
    std::string_view bytes = early;
    while (true) {
        auto taken = reader->feed(bytes);
        if (!taken) co_return propagate(taken);
        bytes.remove_prefix(*taken);
        if (auto counted = arrival->count(reader->held_bytes()); !counted)
            co_return propagate(counted);
        if (reader->done()) {
            arrival->take(reader, bytes, pending);
            co_return Outcome::request;
        }
        if (!begun && reader->started()) {
            begun = true;
            entry->reads_request();
            watchdog->set(Clock::now() + head_time, on_timeout);
        }
        error_code error;
        if (!stream->more_to_read())
            std::tie(error) = co_await stream->readable();
        else if (stream->must_yield())
            co_await stream->others_first();
        if (timed_out) co_return begun ? Outcome::timed_out : Outcome::closed;
        if (error) co_return Outcome::closed;
        // A thread's connections share the buffer: what is in it must be taken before the next
        // wait.
        const auto space = read_buffer();
        const std::size_t count = stream->read_now(space, error);
        if (error && error != asio::error::would_block) co_return Outcome::closed;
        bytes = {space.data(), count};
    }
}

// Gives the client a moment to take the answer in: closing at once on bytes that are still arriving
// would reset the connection and lose it. Another connection may have its slot.
awaitable<void> linger(Stream* stream, OpenConnections::Entry* entry) {
    entry->leaves();
    error_code error;
    stream->socket().shutdown(tcp::socket::shutdown_send, error);
    Watchdog watchdog(co_await asio::this_coro::executor);
    watchdog.set(Clock::now() + std::chrono::seconds(2), [stream] { stream->close(); });
    while (!error) {
        std::tie(error) = co_await stream->readable();
        if (error) co_return;
        stream->read_now(read_buffer(), error);
        if (error == asio::error::would_block) error = {};
    }
}

// Tells the client why its request was not read.
awaitable<void> refuse(Stream* stream, RequestHandler* handler, OpenConnections::Entry* entry,
                       Request unread, Error error) {
    Responder responder(stream, unread);
    const std::string body = handler->describe(error, &unread, &responder.headers());
    responder.forbid_keep_alive();
    unread = {};  // nothing of it is kept while the client takes its time
    if (co_await responder.send(shape_of(error.kind).status, body)) co_return;
    co_await linger(stream, entry);
}

}  // namespace

awaitable<void> serve_connection(Stream stream, RequestHandler* handler, ConnectionLimits limits,
                                 OpenConnections::Entry* entry) {
    entry->is_at(&stream.socket());
    const auto executor = co_await asio::this_coro::executor;
    Watchdog watchdog(executor);
    RequestReader reader(limits.head_bytes);
    std::string pending;
    HangupWatch hangup(&stream, &pending);
    while (true) {
        Arrival arrival(limits.memory);
        auto outcome = co_await read_head(&stream, &reader, &pending, &watchdog, entry,
                                          limits.head_time, &arrival);
        watchdog.stop();
        if (!outcome) {
            co_await refuse(&stream, handler, entry, reader.take(), std::move(outcome.error()));
            co_return;
        }
        if (*outcome == Outcome::timed_out) {
            co_await refuse(&stream, handler, entry, reader.take(),
                            {ErrorKind::request_timeout,
                             "the request's head did not arrive in time (limits.head_time)"});
            co_return;
        }
        if (*outcome == Outcome::closed) co_return;

        Stop stop;
        Transaction transaction{std::move(arrival.request),
                                nullptr,
                                nullptr,
                                &stop,
                                &watchdog,
                                &stream,
                                executor,
                                {},
                                entry->service()};
        transaction.client_address =
            stream.is_local()
                ? "local socket"
                : text_of(limits.proxies->client_of(entry->peer(), transaction.request.headers));
        Responder responder(&stream, transaction.request);
        transaction.responder = &responder;
        entry->answers(&responder, &stop);
        BodyIntake intake({&stream,
                           &pending,
                           &watchdog,
                           entry,
                           &hangup,
                           {limits.body_bytes, limits.memory},
                           limits.body_time},
                          &arrival.body, &transaction.request, &responder, &stop);
        transaction.body = &intake;
        co_await handler->handle(&transaction);
        hangup.pause();
        watchdog.stop();
        const bool gone = stop.reason() == Stop::Reason::client_gone;
        if (gone || !responder.begun()) co_return;
        if (!arrival.body.has_come()) co_await linger(&stream, entry);
        if (!responder.keeps_alive()) co_return;
        entry->is_idle();
    }
}

}  // namespace runnel::http
