#include "exchange/chat_exchange.hpp"

#include "base/limits.hpp"
#include "dialect/registry.hpp"
#include "exchange/upstream_call.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>

namespace runnel::exchange {

using boost::asio::awaitable;
using http::Stop;

namespace {

// Nobody gets it; it tells the log's reader that nobody was there to get one.
constexpr int client_closed_status = 499;

std::chrono::microseconds since(std::chrono::steady_clock::time_point begun) {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                                 begun);
}

// Puts the defaults' fields before the body's own; the reader lets a later field win, and the
// client's are later.
std::string with_defaults(std::string_view defaults_json, std::string_view body) {
    const std::size_t open = body.find('{');
    const std::string_view fields = defaults_json.substr(1, defaults_json.size() - 2);
    return fmt::format("{{{},{}", fields, body.substr(open + 1));
}

}  // namespace

ChatExchange::ChatExchange(const Gateway* gateway, Worker* worker, Continuity* continuity,
                           http::Transaction* transaction, telemetry::RequestRecord* record)
    : gateway_(gateway),
      worker_(worker),
      continuity_(continuity),
      transaction_(transaction),
      responder_(transaction->responder),
      record_(record) {}

awaitable<void> ChatExchange::run() {
    if (auto ready = prepare(); !ready) {
        co_await refuse(ready.error());
    } else {
        co_await pump();
        co_await finish();
    }
    record_->status = responder_->status();
    if (transaction_->stop->reason() == Stop::Reason::client_gone) {
        record_->client_closed = true;
        record_->error_kind.clear();
        record_->error_detail.clear();
        if (!responder_->begun()) record_->status = client_closed_status;
    }
}

Result<void> ChatExchange::prepare() {
    // Requests are read in the one shape there is for now; how the answer is written is the
    // client's choice.
    const dialect::Dialect* reader = dialect::dialect_named(gateway_->dialect);
    dialect_ = reader;
    auto request = reader->read_request(std::move(transaction_->request.body), &worker_->parser);
    if (!request) return propagate(request);
    request_ = std::move(*request);
    record_->model_asked = request_.model;
    record_->stream = streaming();

    auto route = gateway_->router.resolve(request_);
    if (!route) return propagate(route);
    route_ = std::move(*route);
    auto chosen = choose_dialect(request_, route_);
    if (!chosen) return propagate(chosen);
    dialect_ = *chosen;
    record_->dialect = dialect_->name();
    if (auto applied = apply_route(); !applied) return applied;
    continuity_->recall(&request_, Clock::now());
    return ask(route_.targets.front());
}

Result<const dialect::Dialect*> ChatExchange::choose_dialect(const chat::Request& request,
                                                             const router::Route& route) const {
    const std::string_view header = transaction_->request.headers.get("X-Stream-Dialect");
    std::string_view name = gateway_->dialect;
    std::string_view place;
    if (!header.empty()) {
        name = header;
        place = "X-Stream-Dialect";
    } else if (!request.gateway.dialect.empty()) {
        name = request.gateway.dialect;
        place = "stream_dialect";
    } else if (route.dialect != nullptr) {
        name = *route.dialect;
    }
    if (const dialect::Dialect* found = dialect::dialect_named(name)) return found;
    return fail_at(ErrorKind::invalid_stream_dialect, std::string(place),
                   fmt::format("'{}' is not a stream dialect; there are: {}", name,
                               fmt::join(dialect::names(), ", ")));
}

Result<void> ChatExchange::apply_route() {
    if (route_.defaults_json != nullptr) {
        auto again = dialect::dialect_named(gateway_->dialect)
                         ->read_request(with_defaults(*route_.defaults_json, *request_.body),
                                        &worker_->parser);
        if (!again) return propagate(again);
        request_ = std::move(*again);
    }
    if (route_.system != nullptr) {
        std::string raw;
        json::Writer(raw)
            .begin_object()
            .key("role")
            .string("system")
            .key("content")
            .string(*route_.system)
            .end_object();
        chat::Message message{.role = chat::Role::system};
        message.raw = request_.keep(std::move(raw));
        // The text as it stands inside that JSON, between its quotes.
        constexpr std::string_view before = R"({"role":"system","content":")";
        const std::string_view text =
            message.raw.substr(before.size(), message.raw.size() - before.size() - 2);
        message.parts.push_back({.kind = chat::Part::Kind::text, .text_escaped = text});
        request_.messages.insert(request_.messages.begin(), std::move(message));
    }
    return {};
}

Result<void> ChatExchange::ask(const router::Target& target) {
    slot_ = &gateway_->providers[target.provider];
    record_->provider = slot_->name;
    record_->model_served = target.public_name;
    auto outgoing = slot_->provider->write_request(request_, target.model);
    if (!outgoing) return propagate(outgoing);
    outgoing_ = std::move(*outgoing);
    record_->warnings = outgoing_.warnings;
    state_owner_ = fmt::format("{}/{}", slot_->kind, target.model);

    envelope_.id = worker_->ids.next(gateway_->id_prefix);
    envelope_.created = std::time(nullptr);
    envelope_.model = request_.gateway.echo_model && !request_.model.empty() ? request_.model
                                                                             : target.public_name;
    if (request_.include_usage) envelope_.usage = dialect::Envelope::Usage::shown;
    if (request_.reasoning.show == chat::ReasoningWish::Show::no)
        envelope_.reasoning = dialect::Envelope::Reasoning::hidden;
    record_->completion_id = envelope_.id;
    if (streaming()) encoder_ = dialect_->make_encoder(envelope_, &responder_->out());
    reader_.emplace(slot_->provider->make_wire(&worker_->parser), outgoing_.turn,
                    static_cast<timeline::Sink*>(this), &worker_->ids);
    return {};
}

awaitable<void> ChatExchange::pump() {
    UpstreamCall call(worker_, slot_, &outgoing_, &*reader_, transaction_->stop,
                      transaction_->watchdog);
    while (!reader_->ended()) {
        co_await call.advance();
        // The last piece goes out together with the end of the response.
        if (!streaming() || responder_->out_is_empty() || reader_->ended()) continue;
        if (!responder_->begun()) {
            add_headers();
            forget_request();
        }
        if (!responder_->flush(http::Responder::Piece::more)) {
            co_await wait_for_client();
            call.restart_watch();
        }
        if (responder_->error()) {
            transaction_->stop->request(Stop::Reason::client_gone);
            co_return;
        }
    }
}

// The client reads more slowly than the provider writes: upstream is not read until it has caught
// up.
awaitable<void> ChatExchange::wait_for_client() {
    http::Stream* client = transaction_->client;
    transaction_->watchdog->set(Clock::now() + limits::blocked_client_time,
                                [client] { client->close(); });
    Stop* stop = transaction_->stop;
    Stop::Guard guard(stop, [client, stop] {
        // Any other reason is one that the client is just being told.
        if (stop->reason() == Stop::Reason::client_gone) client->close();
    });
    co_await responder_->drain();
}

awaitable<void> ChatExchange::finish() {
    if (transaction_->stop->reason() == Stop::Reason::client_gone) co_return;
    if (failure_) {
        co_await refuse(*failure_);
        co_return;
    }
    if (!responder_->begun()) add_headers();
    boost::system::error_code error;
    if (streaming()) {
        if (!responder_->flush(http::Responder::Piece::last)) co_await wait_for_client();
        error = responder_->error();
    } else {
        const std::string body = dialect_->write_answer(envelope_, fold_.answer());
        http::Stream* client = transaction_->client;
        transaction_->watchdog->set(Clock::now() + limits::blocked_client_time,
                                    [client] { client->close(); });
        error = co_await responder_->send(200, body);
    }
    if (error) transaction_->stop->request(Stop::Reason::client_gone);
}

awaitable<void> ChatExchange::refuse(Error error) {
    record_->error_kind = name_of(error.kind);
    record_->error_detail = error.detail.empty() ? error.message : error.detail;
    http::HeaderList& headers = responder_->headers();
    headers.add("Content-Type", "application/json");
    const int status = shape_of(error.kind).status;
    if (status == 429 || status == 503) {
        const auto wait = error.retry_after.value_or(std::chrono::seconds(1));
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
        headers.add("Retry-After", std::to_string(std::max<long>(1, seconds)));
    }
    if (co_await responder_->send(status, dialect_->error_body(error)))
        transaction_->stop->request(Stop::Reason::client_gone);
}

void ChatExchange::add_headers() {
    http::HeaderList& headers = responder_->headers();
    if (streaming()) {
        headers.add("Content-Type", "text/event-stream; charset=utf-8");
        headers.add("Cache-Control", "no-cache, no-transform");
        headers.add("X-Accel-Buffering", "no");
        headers.add("X-Stream-Dialect", dialect_->name());
    } else {
        headers.add("Content-Type", "application/json");
    }
    headers.add("X-Completion-Id", envelope_.id);
    headers.add("X-Model-Used", record_->model_served);
    if (reader_->turn().trimmed_calls()) record_->warnings.emplace_back("parallel_calls_trimmed");
    if (!record_->warnings.empty())
        headers.add("X-Gateway-Warnings", fmt::format("{}", fmt::join(record_->warnings, ", ")));
}

// The client has seen a part of this answer, so nobody else will be asked: a long prompt need not
// stay in memory as long as its answer streams.
void ChatExchange::forget_request() {
    request_.messages = {};
    request_.tools = {};
    request_.fields = {};
    request_.kept.clear();
    request_.body.reset();
    outgoing_.body = {};
    outgoing_.headers = {};
    transaction_->request.headers = {};
}

void ChatExchange::on(const timeline::Event& event) {
    if (!std::holds_alternative<timeline::Text>(event)) note(event);
    if (record_->first_event.count() == 0 && timeline::is_visible(event))
        record_->first_event = since(begun_);
    if (failure_) return;
    if (encoder_) {
        encoder_->on(event);
    } else {
        fold_.on(event);
    }
}

void ChatExchange::note(const timeline::Event& event) {
    if (const auto* failed = std::get_if<timeline::Failed>(&event)) {
        record_->error_kind = name_of(failed->error.kind);
        record_->error_detail =
            failed->error.detail.empty() ? failed->error.message : failed->error.detail;
        const bool shown = streaming() && (responder_->begun() || !responder_->out_is_empty());
        if (!shown) failure_ = failed->error;
    } else if (const auto* usage = std::get_if<timeline::UsageReported>(&event)) {
        record_->usage = usage->usage;
    } else if (const auto* finished = std::get_if<timeline::Finished>(&event)) {
        record_->finish = timeline::name_of(finished->finish);
    } else if (const auto* state = std::get_if<timeline::ProviderState>(&event)) {
        continuity_->remember(state->call_id, {state_owner_, std::string(state->raw)},
                              Clock::now());
    }
}

}  // namespace runnel::exchange
