#include "server/call.hpp"

#include "api/registry.hpp"
#include "base/percent_encoding.hpp"
#include "exchange/admission/limit_headers.hpp"
#include "exchange/utc_now.hpp"
#include "server/endpoints.hpp"
#include "server/metrics.hpp"
#include "server/url.hpp"
#include "telemetry/trace_queue.hpp"

namespace runnel::server {

using http::Stop;

namespace {

constexpr std::size_t sign_in_bytes = 4 * limits::kib;
constexpr std::size_t short_answer_bytes = 64 * limits::kib;  // are part of what a request costs

Answer send_body(http::Responder* responder, int status, std::string body, MemoryBudget::Share) {
    co_await responder->send(status, body);
}

Answer send_nothing() { co_return; }

// Errors that belong to no API look like those of chat completions.
const api::Api& api_of(const Endpoint* endpoint) {
    return endpoint != nullptr && endpoint->api != nullptr ? endpoint->api() : api::chat_api();
}

const api::Api& api_of(const Call& call) {
    const bool is_shared = call.endpoint == nullptr || call.endpoint->api == nullptr;
    return is_shared && speaks_messages(call) ? api::messages_api() : api_of(call.endpoint);
}

}  // namespace

bool speaks_messages(const Call& call) { return call.request().headers.has("anthropic-version"); }

std::string Call::path_variable() const {
    const std::string_view pattern = endpoint->path;
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) return {};
    const std::string path = plain_path(transaction->request.path());
    return percent_decoded(std::string_view(path).substr(star, path.size() - (pattern.size() - 1)));
}

std::pair<std::string, std::string> Call::path_variables() const {
    const std::string_view pattern = endpoint->path;
    const std::size_t star = pattern.find('*');
    const std::string_view between = pattern.substr(star + 1, pattern.rfind('*') - star - 1);
    const std::string path = plain_path(transaction->request.path());
    const std::size_t end = path.find(between, star + 1);
    return {percent_decoded(std::string_view(path).substr(star, end - star)),
            percent_decoded(std::string_view(path).substr(end + between.size()))};
}

void record_end(Resources* resources, telemetry::RequestRecord&& record,
                const JournalEntry& entry) {
    exchange::Worker* worker = resources->worker;
    exchange::SharedState* shared = resources->shared;
    telemetry::log_request(record);
    worker->requests.add(record);
    if (entry.wanted) {
        worker->requests.add_chat(record, resources->model_names->label_of(entry.model));
        resources->console->traffic.add(record, exchange::utc_now());
        if (worker->journal != nullptr)
            worker->journal->close(entry.ticket, record, entry.content);
        else
            shared->unrecorded.add(std::chrono::steady_clock::now());
    }
    if (record.trace.is_told()) shared->traces->add(std::move(record));
}

Answer send(const Call& call, int status, std::string_view type, std::string body) {
    // A client may be slow to take it.
    MemoryBudget::Share held(&call.resources->shared->memory, MemoryBudget::Use::answers);
    const bool fits = body.size() <= short_answer_bytes || held.resize(body.size());
    // Whoever administers gets in when others have taken all the memory.
    if (!fits && call.endpoint != nullptr && call.endpoint->audience.kind == Audience::Kind::keys)
        return refuse(call, {ErrorKind::overloaded,
                             "the gateway has no memory left for this answer; try again later"});
    call.answer_headers().add("Content-Type", type);
    return send_body(call.transaction->responder, status, std::move(body), std::move(held));
}

Answer send_json(const Call& call, int status, std::string body) {
    return send(call, status, "application/json", std::move(body));
}

Answer send_result(const Call& call, Result<std::string> body, int status) {
    return body ? send_json(call, status, std::move(*body))
                : turn_away(call, std::move(body.error()));
}

Answer send_secret(const Call& call, Result<std::string> body, int status) {
    call.answer_headers().add("Cache-Control", "no-store");
    return send_result(call, std::move(body), status);
}

Answer refuse(const Call& call, Error error) {
    call.record->error_kind = name_of(error.kind);
    call.record->error_detail = error.message;
    exchange::add_retry_after(error, &call.answer_headers());
    const api::Api& api = api_of(call);
    std::string body =
        call.endpoint != nullptr ? api.error_body(error) : error_body(call.request().path(), error);
    return send_json(call, api.error_status(error), std::move(body));
}

Answer turn_away(const Call& call, Error error) {
    const Stop::Reason reason = call.transaction->stop->reason();
    if (reason == Stop::Reason::client_gone) return send_nothing();
    if (reason == Stop::Reason::shutdown) error.message = "the gateway is shutting down; try again";
    return refuse(call, std::move(error));
}

std::string error_body(std::string_view path, const Error& error) {
    return api_of(nearest_endpoint(path)).error_body(error);
}

Result<http::BodyIntake::Progress> begin_body(const Call& call) {
    using Kind = Audience::Kind;
    http::BodyIntake& body = *call.transaction->body;
    http::RequestBody::Limits limits = body.limits();
    // Whoever administers gets in when others have taken all the memory; but only who proved to be
    // that has much to say.
    const Kind audience = call.endpoint->audience.kind;
    if (audience != Kind::keys) limits.memory = nullptr;
    if (audience == Kind::everybody && sign_in_bytes < limits.bytes) {
        limits.bytes = sign_in_bytes;
        limits.cure = "nothing more is read of whoever has not signed in";
    }
    return body.begin(limits);
}

Gatekeeper gatekeeper_of(Resources& resources) {
    const exchange::Gateway& gateway = *resources.gateway;
    return {&gateway.access.auth,
            &resources.keys.ring(),
            {&gateway.admin_token, &resources.console->sessions, &resources.console->guesses},
            {&gateway.cors_origins, &gateway.hosts}};
}

Result<AdminBy> may_administer(const Call& call) {
    return may_administer(arrival_of(*call.transaction), gatekeeper_of(*call.resources).admin,
                          Sessions::Clock::now());
}

storage::Actor actor_of(const Call& call) {
    storage::Actor actor{"token", call.transaction->client_address};
    const auto by = may_administer(call);
    if (by && *by == AdminBy::session) actor.name = "console";
    if (by && *by == AdminBy::local_socket) actor = {"socket", ""};
    return actor;
}

}  // namespace runnel::server
