#include "server/background.hpp"

#include "api/request_body.hpp"
#include "base/limits.hpp"
#include "exchange/await_callback.hpp"
#include "exchange/background/background_run.hpp"
#include "exchange/chat_exchange.hpp"
#include "exchange/utc_now.hpp"
#include "http/as_error.hpp"
#include "http/task_group.hpp"
#include "server/endpoints.hpp"

#include <boost/asio/steady_timer.hpp>

#include <exception>
#include <utility>

namespace runnel::server {

using boost::asio::awaitable;
using exchange::BackgroundRun;
using exchange::KeptStream;
using http::Stop;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t piece_bytes = 64 * limits::kib;
constexpr int cancelled_status = 499;  // as of any whose client has gone

// What a request is that no connection waits for.
struct Detached {
    std::shared_ptr<BackgroundRun> run;
    Resources* resources;
    std::shared_ptr<const exchange::Gateway> gateway;
    const Endpoint* endpoint;
    telemetry::RequestRecord record;
    access::Caller caller;
    exchange::Admission::Ticket ticket;
};

awaitable<void> exchange_of(Detached* detached, JournalEntry* entry) {
    exchange::ChatExchange exchange(detached->gateway, detached->resources->worker,
                                    detached->resources->shared, detached->run->transaction(),
                                    &detached->record, std::move(detached->caller),
                                    &detached->endpoint->api(), {});
    exchange.run_in_background(detached->run.get());
    entry->wanted = true;
    std::exception_ptr broken;
    try {
        co_await exchange.run();
    } catch (...) {
        broken = std::current_exception();
    }
    if (broken) http::log_broken("background response", broken);
    exchange.note_findings();
    entry->model = exchange.model();
    entry->ticket = exchange.ticket();
    entry->content = exchange.content();
}

awaitable<void> run_detached(Detached detached) {
    const auto begun = Clock::now();
    telemetry::RequestRecord& record = detached.record;
    const http::Transaction& transaction = *detached.run->transaction();
    JournalEntry entry;
    co_await exchange_of(&detached, &entry);
    co_await detached.run->end();
    record.total = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
    record.bytes_out = transaction.responder->bytes_sent();
    record.status = transaction.responder->status();
    if (transaction.stop->reason() == Stop::Reason::client_gone) {
        record.client_closed = true;
        record.error_kind.clear();
        record.error_detail.clear();
        if (!transaction.responder->begun()) record.status = cancelled_status;
    }
    record_end(detached.resources, std::move(record), entry);
    detached.run->leave();
}

// The same request, for itself.
http::Request take_request(http::Request* request) {
    std::string body = std::exchange(request->body, {});
    http::Request own = *request;
    own.body = std::move(body);
    return own;
}

std::shared_ptr<BackgroundRun> start_background(Call* call, exchange::Admission::Ticket ticket) {
    Resources* resources = call->resources;
    exchange::SharedState* shared = resources->shared;
    auto run = std::make_shared<BackgroundRun>(
        BackgroundRun::Means{resources->worker, shared->queries, &shared->background,
                             &shared->memory},
        take_request(&call->request()), call->transaction->client_address);
    // The request's trace and costs are those of what runs.
    Detached detached{run,
                      resources,
                      resources->gateway,
                      call->endpoint,
                      *call->record,
                      std::move(call->caller),
                      std::move(ticket)};
    call->record->trace = {};
    resources->worker->tasks.start("background response", run_detached(std::move(detached)));
    return run;
}

// Waits for the frame, the next ping or the client to leave.
awaitable<void> wait_for_frame(Call* call, KeptStream* frames, std::size_t frame) {
    const auto& executor = call->transaction->executor;
    const auto timer = std::make_shared<boost::asio::steady_timer>(executor, limits::ping_time);
    const auto wake = [timer] { timer->cancel(); };
    const auto waiter = frames->wake_at(frame, executor, wake);
    {
        Stop::Guard guard(call->transaction->stop, wake);
        if (call->transaction->stop->reason() != Stop::Reason::client_gone)
            co_await timer->async_wait(as_error);
    }
    frames->forget(waiter);
}

// False: the client is gone.
awaitable<bool> send_piece(Call* call, std::string_view bytes) {
    http::Responder* responder = call->transaction->responder;
    http::Stream* client = call->transaction->client;
    responder->out() += bytes;
    if (!responder->flush(http::Responder::Piece::more)) {
        http::Watchdog* watchdog = call->transaction->watchdog;
        watchdog->set(Clock::now() + limits::blocked_client_time, [client] { client->close(); });
        co_await responder->drain();
        watchdog->stop();
    }
    if (responder->error()) call->transaction->stop->request(Stop::Reason::client_gone);
    co_return call->transaction->stop->reason() != Stop::Reason::client_gone;
}

}  // namespace

bool wants_background(const Call& call) {
    if (!call.endpoint->api().has_background()) return false;
    std::string& body = call.request().body;
    if (body.find("\"background\"") == std::string::npos) return false;
    api::RequestBody fields;
    bool wanted = false;
    // What is wrong with it is told by who reads it.
    if (!fields.open(body, &call.resources->worker->parser)) return false;
    static_cast<void>(
        fields.for_each_field([&](std::string_view name, api::Value& value) -> Result<void> {
            if (name == "background") wanted = value.raw() == "true";
            return {};
        }));
    return wanted;
}

Answer answer_in_background(Call call, exchange::Admission::Ticket ticket) {
    const std::shared_ptr<BackgroundRun> run = start_background(&call, std::move(ticket));
    const auto outcome = co_await exchange::await_callback<BackgroundRun::Outcome>(
        [run](exchange::Callback<BackgroundRun::Outcome> action) {
            const auto shared =
                std::make_shared<exchange::Callback<BackgroundRun::Outcome>>(std::move(action));
            run->on_begun([shared](BackgroundRun::Outcome how) { (*shared)(std::move(how)); });
        });
    if (!outcome) {
        const auto frames = run->frames();
        call.answer_headers().add("X-Completion-Id", run->id());
        if (frames) {
            co_await tell_frames(std::move(call), frames, 0);
        } else {
            co_await send_json(call, 200, run->response());
        }
        co_return;
    }
    if (outcome->body.empty()) {
        co_await turn_away(call,
                           {ErrorKind::internal_error, "the request was given up; try again"});
        co_return;
    }
    for (std::size_t i = 0; i < outcome->headers.size(); ++i)
        call.answer_headers().add(outcome->headers.at(i).name, outcome->headers.at(i).value);
    co_await call.transaction->responder->send(outcome->status, outcome->body);
}

Answer tell_frames(Call call, std::shared_ptr<KeptStream> frames, std::size_t first) {
    http::HeaderList& headers = call.answer_headers();
    headers.add("Content-Type", "text/event-stream; charset=utf-8");
    headers.add("Cache-Control", "no-cache, no-transform");
    headers.add("X-Accel-Buffering", "no");
    std::size_t next = first;
    if (!co_await send_piece(&call, {})) co_return;
    auto pinged = Clock::now();
    while (true) {
        const KeptStream::Piece piece = frames->read(next, piece_bytes);
        if (piece.ended) break;
        next = piece.next;
        if (!piece.bytes.empty()) {
            if (!co_await send_piece(&call, piece.bytes)) co_return;
            pinged = Clock::now();
            continue;
        }
        co_await wait_for_frame(&call, frames.get(), next);
        if (call.transaction->stop->reason() == Stop::Reason::client_gone) co_return;
        if (Clock::now() - pinged < limits::ping_time) continue;
        pinged = Clock::now();
        if (!co_await send_piece(&call, ": ping\n\n")) co_return;
    }
    if (!call.transaction->responder->flush(http::Responder::Piece::last))
        co_await call.transaction->responder->drain();
}

}  // namespace runnel::server
