#include "cli/gateway_client.hpp"

#include "base/limits.hpp"
#include "config/config_file.hpp"
#include "http/client/client.hpp"
#include "json/fields.hpp"
#include "json/parser.hpp"
#include "provider/core/base_url.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <csignal>

namespace runnel::cli {

namespace asio = boost::asio;
using asio::awaitable;

namespace {

constexpr std::size_t whole_body_bytes = 64 * limits::mib;
constexpr std::string_view unix_scheme = "unix:";

// Hands the body of a good answer on, and keeps that of another.
class Receiver final : public http::CallHandler {
public:
    explicit Receiver(const GatewayClient::OnBody* on_body) : on_body_(*on_body) {}

    void on_head(const http::ResponseHead& head) override { answer.status = head.status; }
    void on_body(Padded bytes) override {
        if (answer.status == 200 && on_body_)
            on_body_(bytes);
        else if (answer.body.size() + bytes.size() <= whole_body_bytes)
            answer.body += bytes.text();
    }
    void on_read(const Result<void>& read) override { outcome = read; }

    GatewayClient::Answer answer;
    Result<void> outcome;

private:
    const GatewayClient::OnBody& on_body_;
};

// {"error": {"message": …}}
std::string error_message_in(std::string body) {
    json::Parser parser;
    json::ondemand::document document;
    std::string_view message;
    if (parser.parse_strict(Padded::of(body), document) ||
        document["error"]["message"].get_string().get(message))
        return {};
    return std::string(message);
}

sigset_t interrupt_signal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    return signals;
}

// Lets interrupts in, which are kept out otherwise: not those that came before, when there was
// nothing to end.
class LetInterruptsIn {
public:
    LetInterruptsIn() {
        const timespec at_once{};
        while (sigtimedwait(&signal_, nullptr, &at_once) == SIGINT) {
        }
        pthread_sigmask(SIG_UNBLOCK, &signal_, nullptr);
    }
    ~LetInterruptsIn() { pthread_sigmask(SIG_BLOCK, &signal_, nullptr); }
    LetInterruptsIn(const LetInterruptsIn&) = delete;
    LetInterruptsIn& operator=(const LetInterruptsIn&) = delete;

private:
    sigset_t signal_ = interrupt_signal();
};

}  // namespace

struct GatewayClient::Parts {
    std::string url;  // as it was given
    std::string path;
    http::Destination destination;
    Secret key;
    Interrupt interrupt = Interrupt::ends_program;
    asio::io_context loop{1};
    http::TaskGroup tasks{loop.get_executor()};
    http::UpstreamTls tls;
    http::Client client{&loop, &tasks, &tls};

    std::vector<HeaderField> headers_of(const Request& request) const;
    Error unreachable(const Error& why) const;
    awaitable<void> ask(const Request* request, Receiver* receiver, http::Stop* stop,
                        Result<void>* done);
    awaitable<Result<void>> exchange(const Request* request, Receiver* receiver, http::Stop* stop);
};

std::vector<HeaderField> GatewayClient::Parts::headers_of(const Request& request) const {
    std::vector<HeaderField> headers;
    if (!key.empty()) headers.emplace_back("Authorization", fmt::format("Bearer {}", key.reveal()));
    if (!request.dialect.empty()) headers.emplace_back("X-Stream-Dialect", request.dialect);
    if (request.method != "GET") headers.emplace_back("Content-Type", "application/json");
    headers.emplace_back("Accept-Encoding", "identity");
    headers.emplace_back("Connection", "close");  // people pause between two questions
    return headers;
}

Error GatewayClient::Parts::unreachable(const Error& why) const {
    return {ErrorKind::upstream_unreachable,
            fmt::format("no gateway answers at {}: {}. Start one with `runnel serve`, or say "
                        "where it is with --url",
                        url, why.detail.empty() ? why.message : why.detail)};
}

awaitable<Result<void>> GatewayClient::Parts::exchange(const Request* request, Receiver* receiver,
                                                       http::Stop* stop) {
    http::Call call = client.call(&destination);
    auto connected = co_await call.connect(stop);
    if (!connected) co_return fail(unreachable(connected.error()));
    const std::string target = path + request->path;
    const auto headers = headers_of(*request);
    auto done = co_await call.send({request->method, target, headers, request->body}, stop);
    while (done && !call.response_done()) {
        co_await call.read(receiver, stop);
        done = receiver->outcome;
    }
    if (done) co_return done;
    if (done.error().kind == ErrorKind::upstream_unreachable)
        co_return fail(ErrorKind::upstream_truncated,
                       fmt::format("the gateway at {} broke the connection off", url));
    co_return fail(done.error().kind,
                   fmt::format("{} is no gateway: {}", url, done.error().message));
}

awaitable<void> GatewayClient::Parts::ask(const Request* request, Receiver* receiver,
                                          http::Stop* stop, Result<void>* done) {
    *done = co_await exchange(request, receiver, stop);
    loop.stop();  // connections that wait for their end are nobody's concern
}

GatewayClient::GatewayClient(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
GatewayClient::~GatewayClient() = default;

Result<std::unique_ptr<GatewayClient>> GatewayClient::make(std::string_view url, Secret key,
                                                           Interrupt interrupt) {
    auto parts = std::make_unique<Parts>();
    parts->url = url;
    if (url.starts_with(unix_scheme)) {
        auto destination = http::find_local_destination(url.substr(unix_scheme.size()));
        if (!destination)
            return fail(destination.error().kind,
                        fmt::format("--url: {}", destination.error().message));
        parts->destination = std::move(*destination);
    } else {
        const auto base = provider::read_base_url(url);
        if (!base) return fail(base.error().kind, fmt::format("--url: {}", base.error().message));
        auto destination = http::find_destination(base->origin, "", &config::environment);
        if (!destination) return propagate(destination);
        // What SDKs call a base URL ends with /v1.
        parts->path = base->path;
        if (parts->path.ends_with("/v1")) parts->path.resize(parts->path.size() - 3);
        parts->destination = std::move(*destination);
    }
    parts->key = std::move(key);
    parts->interrupt = interrupt;
    if (interrupt == Interrupt::ends_answer) {
        const sigset_t signal = interrupt_signal();
        pthread_sigmask(SIG_BLOCK, &signal, nullptr);
    }
    return std::unique_ptr<GatewayClient>(new GatewayClient(std::move(parts)));
}

Result<GatewayClient::Answer> GatewayClient::ask(Request request, const OnBody& on_body) {
    Receiver receiver(&on_body);
    http::Stop stop;
    Result<void> done;
    parts_->loop.restart();
    parts_->tasks.start("ask the gateway", parts_->ask(&request, &receiver, &stop, &done));
    if (parts_->interrupt == Interrupt::ends_answer) {
        asio::signal_set signals(parts_->loop, SIGINT);
        signals.async_wait([&](const boost::system::error_code& error, int) {
            if (!error) stop.request(http::Stop::Reason::client_gone);
        });
        const LetInterruptsIn while_it_runs;
        parts_->loop.run();
    } else {
        parts_->loop.run();
    }
    if (stop.requested())
        receiver.answer.end = Answer::End::interrupted;
    else if (!done)
        return propagate(done);
    return std::move(receiver.answer);
}

Result<GatewayClient::Answer> GatewayClient::get(std::string path, const OnBody& on_body) {
    auto answer = ask({.path = std::move(path)}, on_body);
    if (!answer) return propagate(answer);
    if (answer->end == Answer::End::interrupted)
        return fail(ErrorKind::request_timeout, "interrupted");
    if (answer->status != 200) return fail(refusal(*answer));
    return answer;
}

Error GatewayClient::refusal(const Answer& answer) const {
    std::string message = error_message_in(answer.body);
    if (message.empty())
        message =
            fmt::format("{} answered {} and is perhaps no gateway", parts_->url, answer.status);
    if (answer.status == 401)
        message += parts_->key.empty() ? ". Give a key with --key or in RUNNEL_KEY"
                                       : ". The key of --key or RUNNEL_KEY is not taken";
    return {ErrorKind::upstream_unreachable, std::move(message)};
}

}  // namespace runnel::cli
