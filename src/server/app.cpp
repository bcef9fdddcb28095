#include "server/app.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "exchange/admission/limit_headers.hpp"
#include "exchange/utc_now.hpp"
#include "http/task_group.hpp"
#include "server/console/console.hpp"
#include "server/endpoints.hpp"
#include "server/handlers.hpp"
#include "server/limits.hpp"
#include "server/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace runnel::server {

using boost::asio::awaitable;
using exchange::utc_now;
using http::Stop;

namespace {

using Clock = std::chrono::steady_clock;

// Nobody gets it; it tells the log's reader that nobody was there to get one.
constexpr int client_closed_status = 499;

// The client's own request id where it is one that can go into a header and a log; otherwise a new
// one.
std::string request_id(const http::Request& request, IdSource* ids) {
    const std::string_view given = request.headers.get("X-Request-ID");
    const bool usable =
        !given.empty() && given.size() <= limits::request_id_bytes &&
        std::ranges::all_of(given,
                            [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != '\\'; }) &&
        credentials_in(given).empty();
    return usable ? std::string(given) : ids->next("req_");
}

// Empty also where the field is there twice: nobody knows which of them is meant.
std::string_view only_value(const http::HeaderList& headers, std::string_view name) {
    return headers.count(name) == 1 ? headers.get(name) : std::string_view();
}

bool is_json(std::string_view content_type) {
    // Absent is fine: many small clients leave it out. So is what curl says when nobody told it
    // what it sends.
    const std::string_view media = content_type.substr(0, content_type.find(';'));
    return media.empty() || media.find("json") != std::string_view::npos ||
           media == "application/x-www-form-urlencoded";
}

// Whatever an endpoint takes is JSON, and says so: what a page can have a browser send to anybody
// without asking is not. The body itself need not have come yet.
Result<void> check_type(const Endpoint& endpoint, const http::Request& request) {
    const std::string_view type = request.headers.get("Content-Type");
    if (!endpoint.takes_body() || is_json(type)) return {};
    return fail(ErrorKind::unsupported_media_type,
                fmt::format("the body must be JSON, but Content-Type says '{}'; send "
                            "Content-Type: application/json",
                            type));
}

Answer answer_after_body(Call call) {
    auto taken = co_await call.transaction->body->rest();
    if (!taken) {
        co_await turn_away(call, std::move(taken.error()));
        co_return;
    }
    co_await call.endpoint->handler(std::move(call));
}

// Once the request's body is there, where the endpoint takes one.
Answer answer_with_body(Call call) {
    if (call.endpoint->takes_body()) {
        auto progress = begin_body(call);
        if (!progress) return refuse(call, std::move(progress.error()));
        if (*progress == http::BodyIntake::Progress::waits)
            return answer_after_body(std::move(call));
    }
    return call.endpoint->handler(std::move(call));
}

}  // namespace

App::App(std::shared_ptr<const exchange::Gateway> gateway, exchange::Worker* worker,
         exchange::SharedState* shared, ConsoleState* console, Operations* operations)
    : resources_{std::move(gateway),
                 worker,
                 shared,
                 console,
                 operations,
                 access::KeyRingView(&shared->keys),
                 &model_names_},
      model_names_(resources_.gateway->router) {}

void App::use(std::shared_ptr<const exchange::Gateway> gateway) {
    resources_.gateway = std::move(gateway);
    model_names_ = ModelNames(resources_.gateway->router);
}

telemetry::RequestRecord App::begin(const http::Request& request, http::HeaderList* headers) {
    telemetry::RequestRecord record;
    record.request_id = request_id(request, &resources_.worker->ids);
    record.method = request.method;
    record.path = redacted(request.path());  // some put a key where an id belongs
    record.began = utc_now();
    headers->add("X-Request-ID", record.request_id);
    // Anthropic's clients look for it under another name.
    if (request.headers.has("anthropic-version")) headers->add("request-id", record.request_id);
    if (request.headers.has("Origin")) add_cors(request.headers, pages_of(request), headers);
    return record;
}

// No page of another origin has business with the admin API.
Pages App::pages_of(const http::Request& request) {
    if (plain_path(request.path()).starts_with("/admin/")) return Pages::none;
    return pages_for(request, gatekeeper_of(resources_), utc_now());
}

awaitable<void> App::handle(http::Transaction* transaction) {
    http::Responder& responder = *transaction->responder;
    telemetry::RequestRecord record = begin(transaction->request, &responder.headers());
    // Browsers would keep an address or localhost from speaking anything but TLS too.
    if (transaction->client->is_encrypted() &&
        !is_address_or_localhost(transaction->request.headers.get("Host")))
        responder.headers().add("Strict-Transport-Security", "max-age=31536000");
    const auto begun = Clock::now();
    JournalEntry entry;
    const Call call{transaction, &record, &resources_, &entry};
    std::exception_ptr broken;
    try {
        co_await dispatch(call);
    } catch (...) {
        broken = std::current_exception();
    }
    if (broken) {
        http::log_broken("request", broken);
        responder.forbid_keep_alive();  // whatever of an answer there may be by now
        if (!responder.begun())
            co_await refuse(call,
                            {ErrorKind::internal_error, "the gateway failed; its log has why"});
    }
    record.total = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
    record.bytes_out = responder.bytes_sent();
    record.status = responder.status();
    if (transaction->stop->reason() == Stop::Reason::client_gone) {
        record.client_closed = true;
        record.error_kind.clear();
        record.error_detail.clear();
        if (!responder.begun()) record.status = client_closed_status;
    }
    record_end(&resources_, std::move(record), entry);
}

Answer App::dispatch(Call call) {
    http::Transaction* transaction = call.transaction;
    const http::Request& request = transaction->request;
    if (request.method == "OPTIONS") return preflight(transaction);
    show_limits(call);
    // The console has pages at paths that others are at when nobody says a version.
    const bool is_page = lacks_version(request.path()) && wants_page(request);
    const auto [endpoint, methods] =
        is_page ? FoundEndpoint{} : find_endpoint(request.path(), request.method);
    if (transaction->service == http::OpenConnections::Service::essential &&
        (endpoint == nullptr || !endpoint->is_essential()))
        return refuse(call,
                      {ErrorKind::overloaded, "the gateway has too many connections; try again"});
    if (endpoint == nullptr && methods.empty()) return show_page(std::move(call));
    if (endpoint == nullptr) {
        call.answer_headers().add("Allow", methods);
        return refuse(
            call, {ErrorKind::method_not_allowed,
                   fmt::format("{} takes {}, not {}", request.path(), methods, request.method)});
    }
    call.endpoint = endpoint;
    auto caller = admit(call);
    if (!caller) return refuse(call, std::move(caller.error()));
    call.caller = std::move(*caller);
    call.record->client_address = transaction->client_address;
    if (call.caller.key != nullptr) {
        call.record->key_id = call.caller.key->id;
        call.record->team = call.caller.key->team;
    }
    if (call.caller.kind == access::Caller::Kind::admin)
        transaction->responder->before_head(nullptr);  // it has no limits
    if (auto readable = check_type(*endpoint, request); !readable)
        return refuse(call, std::move(readable.error()));
    // Only now: strangers don't fill a collector.
    if (endpoint->kind == Endpoint::Kind::inference)
        call.record->trace = begin_trace(request.headers);
    return answer(std::move(call));
}

Result<access::Caller> App::admit(const Call& call) {
    using Kind = Audience::Kind;
    const auto [audience, scope] = call.endpoint->audience;
    const bool open_metrics = call.gateway().metrics_access == config::Config::MetricsAccess::open;
    if (audience == Kind::everybody || (audience == Kind::scrapers && open_metrics))
        return access::Caller{};
    if (audience == Kind::keys)
        return authenticate(arrival_of(*call.transaction), gatekeeper_of(resources_), scope,
                            utc_now());
    // Each request of the admin's is let in here: by what, and from transaction->client_address.
    if (auto admitted = may_administer(call); !admitted) return propagate(admitted);
    return access::Caller{.kind = access::Caller::Kind::admin};
}

Answer App::answer(Call call) {
    const Endpoint& endpoint = *call.endpoint;
    const bool is_for_keys = endpoint.audience.kind == Audience::Kind::keys;
    // Health, metrics and the admin API answer whatever the memory.
    if (is_for_keys && endpoint.takes_body() && resources_.shared->memory.is_short()) {
        call.transaction->responder->forbid_keep_alive();
        return refuse(call, {ErrorKind::overloaded,
                             "the gateway is short of memory for new requests; try again later"});
    }
    if (endpoint.kind == Endpoint::Kind::inference) return endpoint.handler(std::move(call));
    if (is_for_keys) return answer_within_limits(std::move(call), answer_with_body);
    return answer_with_body(std::move(call));
}

telemetry::TraceContext App::begin_trace(const http::HeaderList& headers) const {
    const auto& sample = resources_.gateway->trace_sample;
    if (resources_.shared->traces == nullptr || !sample) return {};
    const auto parent = telemetry::read_traceparent(only_value(headers, "traceparent"));
    return telemetry::begin_trace(parent, *sample, telemetry::random_ids());
}

Answer App::preflight(http::Transaction* transaction) {
    if (pages_of(transaction->request) != Pages::none)
        add_preflight(transaction->request.headers, &transaction->responder->headers());
    co_await transaction->responder->send(204, {});
}

std::string App::describe(const Error& error, const http::Request* request,
                          http::HeaderList* headers) {
    telemetry::RequestRecord record = begin(*request, headers);
    record.status = shape_of(error.kind).status;
    record.error_kind = name_of(error.kind);
    record.error_detail = error.message;
    headers->add("Content-Type", "application/json");
    exchange::add_retry_after(error, headers);
    tell_limits(resources_, *request, {}, record, *headers);
    telemetry::log_request(record);
    resources_.worker->requests.add(record);
    return error_body(request->path(), error);
}

}  // namespace runnel::server
