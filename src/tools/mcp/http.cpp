#include "tools/mcp/http.hpp"

#include "base/log.hpp"
#include "http/timed_stop.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace runnel::tools::mcp {

namespace asio = boost::asio;
using asio::awaitable;
using http::Stop;

namespace {

using namespace std::chrono_literals;

// For what is said to a server on the way out.
constexpr auto last_words_time = 100ms;
constexpr auto listen_pause_min = 5s, listen_pause_max = 60s;

bool is_answer(const Message& message) {
    return message.kind == Message::Kind::result || message.kind == Message::Kind::error;
}

// An error may come without an id, where the server could not read ours.
bool answers(const Message& message, const Outgoing& request) {
    return message.id == request.id || (message.id == 0 && message.kind == Message::Kind::error);
}

}  // namespace

HttpTransport::HttpTransport(Endpoint endpoint, http::TaskGroup* tasks, http::Client* client)
    : endpoint_(std::move(endpoint)),
      tasks_(tasks),
      client_(client) {}

awaitable<Result<void>> HttpTransport::open(Inbox* inbox, Stop*) {
    inbox_ = inbox;
    session_.clear();
    co_return Result<void>{};
}

std::vector<HeaderField> HttpTransport::headers_of(Method method, const Outgoing& message) const {
    std::vector<HeaderField> headers;
    if (method == Method::post) {
        headers.emplace_back("Content-Type", "application/json");
        headers.emplace_back("Accept", "application/json, text/event-stream");
    }
    if (method == Method::get) headers.emplace_back("Accept", "text/event-stream");
    headers.insert(headers.end(), message.headers.begin(), message.headers.end());
    if (!session_.empty()) headers.emplace_back("Mcp-Session-Id", session_);
    for (const auto& [name, value] : endpoint_.headers) headers.emplace_back(name, value.reveal());
    return headers;
}

http::RequestView HttpTransport::request_of(Method method, const std::vector<HeaderField>& headers,
                                            std::string_view body) const {
    constexpr std::string_view names[] = {"GET", "POST", "DELETE"};
    return {names[static_cast<std::size_t>(method)], endpoint_.path, headers, body};
}

awaitable<Result<Answer>> HttpTransport::ask(Outgoing request, Stop* stop) {
    const std::string session = session_;
    const auto headers = headers_of(Method::post, request);
    const auto carrier = request_of(Method::post, headers, request.json);
    for (const Reuse reuse : {Reuse::allowed, Reuse::forbidden}) {
        HttpExchange exchange(client_, &endpoint_.destination, &parser_);
        auto answer = co_await ask_once(&exchange, carrier, &request, reuse, stop);
        // A call may change things: it is sent again only where nobody can have begun with it.
        if (!answer && exchange.was_stale() && reuse == Reuse::allowed && !stop->requested())
            continue;
        if (answer) {
            note_session(request, exchange, session);
            exchange.give_back();
        }
        co_return answer;
    }
    co_return fail(ErrorKind::internal_error, "was not asked");
}

awaitable<Result<Answer>> HttpTransport::ask_once(HttpExchange* exchange, http::RequestView carrier,
                                                  const Outgoing* request, Reuse reuse,
                                                  Stop* stop) {
    auto sent = co_await exchange->send(carrier, reuse, stop);
    if (!sent) co_return propagate(sent);
    do {
        auto read = co_await exchange->read(stop);
        if (!read) co_return propagate(read);
        std::vector<Message> messages = exchange->take_messages();
        const auto found = std::ranges::find_if(messages, [&](const Message& message) {
            return is_answer(message) && answers(message, *request);
        });
        if (found != messages.end()) {
            Answer answer{std::move(*found), exchange->status()};
            messages.erase(found);
            co_await hear(std::move(messages), stop);
            co_return answer;
        }
        co_await hear(std::move(messages), stop);
    } while (!exchange->done());

    if (exchange->status() >= 300)
        co_return Answer{Message{.kind = Message::Kind::error}, exchange->status()};
    if (exchange->any_unreadable())
        co_return fail(ErrorKind::upstream_malformed,
                       "answers with something that is not JSON-RPC");
    co_return fail(ErrorKind::upstream_truncated, "ended its response without an answer");
}

// What came besides the answer: notices, requests of the server's, and answers that nobody waits
// for.
awaitable<void> HttpTransport::hear(std::vector<Message> messages, Stop* stop) {
    for (const Message& message : messages) {
        if (inbox_ == nullptr) co_return;
        if (message.kind == Message::Kind::notification) inbox_->on_notification(message);
        if (message.kind != Message::Kind::request) continue;
        Outgoing reply = inbox_->on_request(message);
        // A server that can't take its answer waits for it at its own cost.
        (void)co_await tell(std::move(reply), stop);
    }
}

void HttpTransport::note_session(const Outgoing& request, const HttpExchange& exchange,
                                 const std::string& sent_session) {
    const int status = exchange.status();
    if (request.method == "initialize" && status < 300) {
        session_ = exchange.session_id();
        return;
    }
    // 404 is what the specification says; many servers say 400.
    const bool refused = status == 404 || status == 400;
    if (refused && !sent_session.empty() && sent_session == session_) {
        session_.clear();
        ++life_;
    }
}

awaitable<Result<void>> HttpTransport::tell(Outgoing notification, Stop* stop) {
    HttpExchange exchange(client_, &endpoint_.destination, &parser_);
    const auto headers = headers_of(Method::post, notification);
    auto done = co_await exchange.send(request_of(Method::post, headers, notification.json),
                                       Reuse::allowed, stop);
    while (done && exchange.status() == 0) done = co_await exchange.read(stop);
    if (done && exchange.done()) exchange.give_back();
    co_return done;
}

void HttpTransport::give_up(Outgoing cancelled, Era era) {
    // A modern server has seen the connection close.
    if (era == Era::modern || closed_) return;
    auto headers = headers_of(Method::post, cancelled);
    tasks_->start(
        "tell an MCP server that nobody waits",
        send_last(shared_from_this(), Method::post, std::move(headers), std::move(cancelled.json)));
}

void HttpTransport::close() {
    closed_ = true;
    inbox_ = nullptr;
    if (listening_) listening_->request(Stop::Reason::shutdown);
    if (session_.empty()) return;
    auto headers = headers_of(Method::remove, {});
    session_.clear();
    tasks_->start("end an MCP session",
                  send_last(shared_from_this(), Method::remove, std::move(headers), {}));
}

awaitable<void> HttpTransport::send_last(Self self, Method method, std::vector<HeaderField> headers,
                                         std::string body) {
    Stop never;
    http::TimedStop timed(self->tasks_->executor(), &never, last_words_time);
    HttpExchange exchange(self->client_, &self->endpoint_.destination, &self->parser_);
    auto sent = co_await exchange.send(self->request_of(method, headers, body), Reuse::allowed,
                                       timed.get());
    if (sent) (void)co_await exchange.read(timed.get());
}

void HttpTransport::listen(Outgoing request, Era era) {
    if (listening_) listening_->request(Stop::Reason::outpaced);
    if (closed_) return;
    listening_ = std::make_shared<Stop>();
    const Method method = era == Era::modern ? Method::post : Method::get;
    if (method == Method::get) request.json.clear();
    tasks_->start("listen to an MCP server",
                  keep_listening(shared_from_this(), listening_, method, std::move(request)));
}

awaitable<void> HttpTransport::keep_listening(Self self, std::shared_ptr<Stop> stop, Method method,
                                              Outgoing request) {
    std::chrono::seconds pause = listen_pause_min;
    asio::steady_timer timer(self->tasks_->executor());
    for (Missed missed = Missed::nothing; !stop->requested(); missed = Missed::perhaps) {
        const auto began = std::chrono::steady_clock::now();
        auto heard = co_await self->listen_once(method, &request, missed, stop.get());
        if (stop->requested()) co_return;
        if (!heard) {
            log::Line(log::Level::debug, "mcp server tells nothing unasked")
                .add("place", self->place())
                .add("reason", heard.error().message)
                .write();
            co_return;
        }
        if (std::chrono::steady_clock::now() - began > listen_pause_max) pause = listen_pause_min;
        timer.expires_after(std::exchange(pause, std::min(pause * 2, listen_pause_max)));
        Stop::Guard guard(stop.get(), [&timer] { timer.cancel(); });
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

// Until the stream ends, however. An error: the server has none to offer.
awaitable<Result<void>> HttpTransport::listen_once(Method method, const Outgoing* request,
                                                   Missed missed, Stop* stop) {
    HttpExchange exchange(client_, &endpoint_.destination, &parser_);
    const auto headers = headers_of(method, *request);
    auto sent =
        co_await exchange.send(request_of(method, headers, request->json), Reuse::allowed, stop);
    while (sent && !stop->requested()) {
        auto read = co_await exchange.read(stop);
        if (!read || stop->requested()) break;
        if (exchange.status() >= 300)
            co_return fail(ErrorKind::upstream_rejected,
                           fmt::format("answers with HTTP {}", exchange.status()));
        std::vector<Message> messages = exchange.take_messages();
        if (std::ranges::any_of(messages, [&](const Message& message) {
                return is_answer(message) && answers(message, *request);
            }))
            co_return fail(ErrorKind::upstream_rejected, "ends the subscription");
        if (exchange.status() != 0 && std::exchange(missed, Missed::nothing) == Missed::perhaps)
            messages.push_back(Message{.method = std::string(Protocol::tools_changed)});
        co_await hear(std::move(messages), stop);
        if (exchange.done()) break;
    }
    co_return Result<void>{};
}

}  // namespace runnel::tools::mcp
