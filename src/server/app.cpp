#include "server/app.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"
#include "base/percent_encoding.hpp"
#include "dialect/registry.hpp"
#include "exchange/chat_exchange.hpp"
#include "exchange/retry_after.hpp"
#include "exchange/utc_now.hpp"
#include "http/task_group.hpp"
#include "policy/claim.hpp"
#include "server/admin.hpp"
#include "server/admin_access.hpp"
#include "server/cors.hpp"
#include "server/embedded_files.hpp"
#include "server/models.hpp"
#include "server/tools.hpp"
#include "server/url.hpp"
#include "telemetry/trace_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>

namespace runnel::server {

using boost::asio::awaitable;
using exchange::utc_now;
using http::Stop;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t sign_in_bytes = 4 * limits::kib;

// Nobody gets it; it tells the log's reader that nobody was there to get one.
constexpr int client_closed_status = 499;

// The client's own request id where it is one that can go into a header and a log; otherwise a new
// one.
std::string request_id(const http::Request& request, IdSource* ids) {
    const std::string_view given = request.headers.get("X-Request-ID");
    const bool usable = !given.empty() && given.size() <= limits::request_id_bytes &&
                        std::ranges::all_of(given, [](char c) {
                            return c > ' ' && c < 0x7F && c != '"' && c != '\\';
                        });
    return usable ? std::string(given) : ids->next("req_");
}

// Empty also where the field is there twice: nobody knows which of them is meant.
std::string_view only_value(const http::HeaderList& headers, std::string_view name) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < headers.size(); ++i)
        if (ascii::equal_ignoring_case(headers.at(i).name, name)) ++count;
    return count == 1 ? headers.get(name) : std::string_view();
}

bool is_json(std::string_view content_type) {
    // Absent is fine: many small clients leave it out. So is what curl says when nobody told it
    // what it sends.
    const std::string_view media = content_type.substr(0, content_type.find(';'));
    return media.empty() || media.find("json") != std::string_view::npos ||
           media == "application/x-www-form-urlencoded";
}

std::string_view after(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view();
}

}  // namespace

struct App::Endpoint {
    // Whoever may use it: everybody, the admin, whose key has the scope, or who gathers metrics:
    // the admin, unless the config lets everybody.
    struct For {
        enum class Who { everybody, admin, keys, scrapers } who;
        policy::Scope scope{};
    };
    std::string_view method;
    std::string_view path;  // a * in it stands for one character or more
    For access;
    Answer (App::*answer)(Asked);

    bool is_at(std::string_view asked) const {
        const std::size_t star = path.find('*');
        if (star == std::string_view::npos) return asked == path;
        return asked.size() >= path.size() && asked.starts_with(path.substr(0, star)) &&
               asked.ends_with(path.substr(star + 1));
    }
    bool takes_body() const { return method == "POST" || method == "PATCH"; }
    // Also where there is no room for others: who watches over the gateway, and who can help it.
    bool is_essential() const {
        return access.who == For::Who::admin || access.who == For::Who::scrapers ||
               path.starts_with("/admin/") || path == "/healthz" || path == "/readyz";
    }
    bool takes(std::string_view asked) const {
        return asked == method || (asked == "HEAD" && method == "GET");
    }
};

struct App::Found {
    const Endpoint* endpoint = nullptr;
    std::string methods{};
};

std::span<const App::Endpoint> App::endpoints() {
    using For = Endpoint::For;
    using enum policy::Scope;
    static constexpr For everybody{For::Who::everybody};
    static constexpr For admin{For::Who::admin};
    static constexpr For scrapers{For::Who::scrapers};
    static constexpr auto keys = [](policy::Scope scope) { return For{For::Who::keys, scope}; };
    static constexpr std::array all{
        Endpoint{"POST", "/v1/chat/completions", keys(chat_write), &App::chat},
        Endpoint{"GET", "/v1/models", keys(models_read), &App::models},
        Endpoint{"GET", "/v1/models/*", keys(models_read), &App::models},
        Endpoint{"GET", "/v1/tools", keys(tools_execute), &App::tools},
        Endpoint{"POST", "/v1/tools/execute", keys(tools_execute), &App::run_tool},
        Endpoint{"GET", "/v1/logs", keys(logs_read), &App::logs},
        Endpoint{"GET", "/v1/logs/*/content", keys(logs_read), &App::log_content},
        Endpoint{"GET", "/v1/logs/*/stream", keys(logs_read), &App::log_stream},
        Endpoint{"GET", "/v1/logs/*", keys(logs_read), &App::log_entry},
        Endpoint{"GET", "/v1/usage", keys(usage_read), &App::usage},
        Endpoint{"GET", "/v1/balance", keys(usage_read), &App::balance},
        Endpoint{"GET", "/admin/v1/logs", admin, &App::logs},
        Endpoint{"GET", "/admin/v1/logs/export", admin, &App::export_log},
        Endpoint{"GET", "/admin/v1/logs/*/content", admin, &App::log_content},
        Endpoint{"GET", "/admin/v1/logs/*/stream", admin, &App::log_stream},
        Endpoint{"GET", "/admin/v1/logs/*", admin, &App::log_entry},
        Endpoint{"DELETE", "/admin/v1/logs/*", admin, &App::forget_log},
        Endpoint{"GET", "/admin/v1/usage", admin, &App::usage},
        Endpoint{"GET", "/healthz", everybody, &App::health},
        Endpoint{"GET", "/health", everybody, &App::health},
        Endpoint{"GET", "/api/health", everybody, &App::health},
        Endpoint{"GET", "/readyz", everybody, &App::readiness},
        Endpoint{"GET", "/metrics", scrapers, &App::metrics},
        Endpoint{"GET", "/openapi.json", everybody, &App::description},
        Endpoint{"GET", "/admin/v1/providers", admin, &App::providers},
        Endpoint{"GET", "/admin/v1/models", admin, &App::models},
        Endpoint{"GET", "/admin/v1/tools", admin, &App::tools},
        Endpoint{"GET", "/admin/v1/prices", admin, &App::prices},
        Endpoint{"GET", "/admin/v1/overview", admin, &App::overview},
        Endpoint{"GET", "/admin/v1/config", admin, &App::config},
        Endpoint{"POST", "/admin/v1/config/check", admin, &App::check_config},
        Endpoint{"POST", "/admin/v1/config/reload", admin, &App::reload_config},
        Endpoint{"GET", "/admin/v1/audit", admin, &App::audit},
        Endpoint{"POST", "/admin/v1/links", admin, &App::make_link},
        Endpoint{"GET", "/admin/v1/session", everybody, &App::session},
        Endpoint{"POST", "/admin/v1/session", everybody, &App::sign_in},
        Endpoint{"DELETE", "/admin/v1/session", everybody, &App::sign_out},
        Endpoint{"GET", "/admin/v1/keys", admin, &App::list_keys},
        Endpoint{"POST", "/admin/v1/keys", admin, &App::create_key},
        Endpoint{"POST", "/admin/v1/keys/*/rotate", admin, &App::rotate_key},
        Endpoint{"GET", "/admin/v1/keys/*", admin, &App::show_key},
        Endpoint{"PATCH", "/admin/v1/keys/*", admin, &App::update_key},
        Endpoint{"DELETE", "/admin/v1/keys/*", admin, &App::revoke_key},
        Endpoint{"POST", "/auth/api-keys", admin, &App::create_wallet_key},
        Endpoint{"GET", "/", everybody, &App::home},
    };
    return all;
}

std::vector<App::Route> App::routes() {
    using Who = Endpoint::For::Who;
    std::vector<Route> routes;
    for (const Endpoint& endpoint : endpoints()) {
        std::string_view who = endpoint.access.who == Who::everybody ? "everybody" : "admin";
        if (endpoint.access.who == Who::keys) who = policy::name_of(endpoint.access.scope);
        routes.push_back({endpoint.method, endpoint.path, who});
    }
    return routes;
}

App::Found App::find(std::string_view path, std::string_view method) {
    path = plain_path(path);
    std::string_view at;  // the first that fits is the one that is meant
    Found found;
    for (const Endpoint& endpoint : endpoints()) {
        if (at.empty() ? !endpoint.is_at(path) : endpoint.path != at) continue;
        at = endpoint.path;
        if (endpoint.takes(method)) return {&endpoint};
        found.methods += found.methods.empty() ? "" : ", ";
        found.methods += endpoint.method;
    }
    return found;
}

App::App(std::shared_ptr<const exchange::Gateway> gateway, exchange::Worker* worker,
         exchange::SharedState* shared, ConsoleState* console, Operations* operations)
    : gateway_(std::move(gateway)),
      model_names_(gateway_->router),
      worker_(worker),
      shared_(shared),
      console_(console),
      operations_(operations),
      keys_(&shared->keys),
      started_(std::time(nullptr)) {}

void App::use(std::shared_ptr<const exchange::Gateway> gateway) {
    gateway_ = std::move(gateway);
    model_names_ = ModelNames(gateway_->router);
}

telemetry::RequestRecord App::begin(const http::Request& request, http::HeaderList* headers) {
    telemetry::RequestRecord record;
    record.request_id = request_id(request, &worker_->ids);
    record.method = request.method;
    record.path = request.path();
    record.began = utc_now();
    headers->add("X-Request-ID", record.request_id);
    if (request.headers.has("Origin")) add_cors(request.headers, pages_of(request), headers);
    return record;
}

// No page of another origin has business with the admin API.
Pages App::pages_of(const http::Request& request) {
    if (request.path().starts_with("/admin/")) return Pages::none;
    return pages_for(request, gatekeeper(), utc_now());
}

awaitable<void> App::handle(http::Transaction* transaction) {
    const http::Responder& responder = *transaction->responder;
    telemetry::RequestRecord record =
        begin(transaction->request, &transaction->responder->headers());
    // Browsers would keep an address or localhost from speaking anything but TLS too.
    if (transaction->client->is_encrypted() &&
        !is_address_or_localhost(transaction->request.headers.get("Host")))
        transaction->responder->headers().add("Strict-Transport-Security", "max-age=31536000");
    const auto begun = Clock::now();
    Journaled entry;
    std::exception_ptr broken;
    try {
        co_await dispatch(transaction, &record, &entry);
    } catch (...) {
        broken = std::current_exception();
    }
    if (broken) {
        http::log_broken("request", broken);
        transaction->responder->forbid_keep_alive();  // whatever of an answer there may be by now
        if (!responder.begun())
            co_await refuse(transaction, &record,
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
    telemetry::log_request(record);
    worker_->requests.add(record);
    if (entry.wanted) {
        worker_->requests.add_chat(record, model_names_.label_of(entry.model));
        console_->traffic.add(record, utc_now());
        if (worker_->journal != nullptr)
            worker_->journal->close(entry.ticket, record, entry.content);
        else
            shared_->unrecorded.add(begun + record.total);
    }
    if (record.trace.is_told()) shared_->traces->add(std::move(record));
}

awaitable<void> App::dispatch(http::Transaction* transaction, telemetry::RequestRecord* record,
                              Journaled* entry) {
    const http::Request& request = transaction->request;
    if (request.method == "OPTIONS") return preflight(transaction);
    show_limits(transaction, record);
    const auto [endpoint, methods] = find(request.path(), request.method);
    if (transaction->service == http::OpenConnections::Service::essential &&
        (endpoint == nullptr || !endpoint->is_essential()))
        return refuse(transaction, record,
                      {ErrorKind::overloaded, "the gateway has too many connections; try again"});
    if (endpoint == nullptr && methods.empty()) return page(transaction, record);
    if (endpoint == nullptr) {
        transaction->responder->headers().add("Allow", methods);
        return refuse(
            transaction, record,
            {ErrorKind::method_not_allowed,
             fmt::format("{} takes {}, not {}", request.path(), methods, request.method)});
    }
    auto caller = admit(*endpoint, *transaction);
    if (!caller) return refuse(transaction, record, std::move(caller.error()));
    record->client_address = transaction->client_address;
    if (caller->key != nullptr) {
        record->key_id = caller->key->id;
        record->team = caller->key->team;
    }
    if (caller->kind == policy::Caller::Kind::admin)
        transaction->responder->before_head(nullptr);  // it has no limits
    if (auto readable = check_type(*endpoint, request); !readable)
        return refuse(transaction, record, std::move(readable.error()));
    // Only now: strangers don't fill a collector.
    if (endpoint->answer == &App::chat) record->trace = begin_trace(request.headers);
    const bool is_for_keys = endpoint->access.who == Endpoint::For::Who::keys;
    // Health, metrics and the admin API answer whatever the memory.
    if (is_for_keys && endpoint->takes_body() && shared_->memory.is_short()) {
        transaction->responder->forbid_keep_alive();
        return refuse(transaction, record,
                      {ErrorKind::overloaded,
                       "the gateway is short of memory for new requests; try again later"});
    }
    Asked asked{transaction, record, std::move(*caller), entry, endpoint};
    // A chat waits for its place before its body is taken, and what it may use up is known only
    // when it is read.
    if (endpoint->answer == &App::chat) return chat(std::move(asked));
    if (is_for_keys) return answer_within_limits(std::move(asked));
    return answer_with_body(std::move(asked));
}

awaitable<void> App::answer_with_body(Asked asked) {
    if (asked.endpoint->takes_body()) {
        auto progress = begin_body(asked);
        if (!progress) return refuse(asked.transaction, asked.record, std::move(progress.error()));
        if (*progress == http::BodyIntake::Progress::waits)
            return answer_after_body(std::move(asked));
    }
    const auto answer = asked.endpoint->answer;
    return (this->*answer)(std::move(asked));
}

awaitable<void> App::answer_after_body(Asked asked) {
    auto taken = co_await asked.transaction->body->rest();
    if (!taken) {
        co_await turn_away(asked.transaction, asked.record, std::move(taken.error()));
        co_return;
    }
    const auto answer = asked.endpoint->answer;
    co_await (this->*answer)(std::move(asked));
}

Result<http::BodyIntake::Progress> App::begin_body(const Asked& asked) {
    using Who = Endpoint::For::Who;
    http::BodyIntake& body = *asked.transaction->body;
    http::RequestBody::Limits limits = body.limits();
    // Whoever administers gets in when others have taken all the memory; but only who proved to be
    // that has much to say.
    const Who who = asked.endpoint->access.who;
    if (who != Who::keys) limits.memory = nullptr;
    if (who == Who::everybody && sign_in_bytes < limits.bytes) {
        limits.bytes = sign_in_bytes;
        limits.cure = "nothing more is read of whoever has not signed in";
    }
    return body.begin(limits);
}

telemetry::TraceContext App::begin_trace(const http::HeaderList& headers) const {
    if (shared_->traces == nullptr || !gateway_->trace_sample) return {};
    const auto parent = telemetry::read_traceparent(only_value(headers, "traceparent"));
    return telemetry::begin_trace(parent, *gateway_->trace_sample, telemetry::random_ids());
}

Result<policy::Caller> App::admit(const Endpoint& endpoint, const http::Transaction& transaction) {
    using Who = Endpoint::For::Who;
    const Who who = endpoint.access.who;
    const bool open_metrics = gateway_->metrics_access == config::Config::MetricsAccess::open;
    if (who == Who::everybody || (who == Who::scrapers && open_metrics)) return policy::Caller{};
    if (who != Who::keys) {
        // Each request of the admin's is let in here: by what, and from transaction.client_address.
        auto admitted = admits(transaction);
        if (!admitted) return propagate(admitted);
        return policy::Caller{.kind = policy::Caller::Kind::admin};
    }
    return authenticate(arrival_of(transaction), gatekeeper(), endpoint.access.scope, utc_now());
}

// Whatever an endpoint takes is JSON, and says so: what a page can have a browser send to anybody
// without asking is not. The body itself need not have come yet.
Result<void> App::check_type(const Endpoint& endpoint, const http::Request& request) {
    const std::string_view type = request.headers.get("Content-Type");
    if ((endpoint.method != "POST" && endpoint.method != "PATCH") || is_json(type)) return {};
    return fail(ErrorKind::unsupported_media_type,
                fmt::format("the body must be JSON, but Content-Type says '{}'; send "
                            "Content-Type: application/json",
                            type));
}

AdminProof App::admin_proof() const {
    return {&gateway_->admin_token, &console_->sessions, &console_->guesses};
}

Gatekeeper App::gatekeeper() {
    return {&gateway_->access.auth,
            &keys_.ring(),
            admin_proof(),
            {&gateway_->cors_origins, &gateway_->hosts}};
}

// Whether the client may use the admin API, and by what.
Result<AdminBy> App::admits(const http::Transaction& transaction) const {
    return may_administer(arrival_of(transaction), admin_proof(), Clock::now());
}

awaitable<void> App::chat(Asked asked) {
    auto ticket = shared_->requests.try_enter();
    if (!ticket) {
        auto entered = co_await shared_->requests.enter(asked.transaction->stop);
        if (!entered) {
            co_await turn_away(asked.transaction, asked.record, std::move(entered.error()));
            co_return;
        }
        ticket = std::move(*entered);
    }
    auto progress = begin_body(asked);
    auto taken = progress ? Result<void>{} : propagate(progress);
    if (taken && *progress == http::BodyIntake::Progress::waits) {
        taken = may_send_more(asked);
        if (taken) taken = co_await asked.transaction->body->rest();
    }
    if (!taken) {
        co_await turn_away(asked.transaction, asked.record, std::move(taken.error()));
        co_return;
    }
    exchange::ChatExchange exchange(gateway_, worker_, shared_, asked.transaction, asked.record,
                                    std::move(asked.caller));
    asked.entry->wanted = true;
    co_await exchange.run();
    exchange.note_findings();
    asked.entry->model = exchange.model();
    asked.entry->ticket = exchange.ticket();
    asked.entry->content = exchange.content();
}

awaitable<void> App::models(Asked asked) {
    const std::string_view path = asked.transaction->request.path();
    const std::string id = percent_decoded(after(path.substr(path.find("/models")), "/models/"));
    const auto body = id.empty() ? list_models(gateway_->router, asked.caller, started_)
                                 : describe_model(gateway_->router, asked.caller, id, started_);
    if (!body) {
        co_await refuse(asked.transaction, asked.record, body.error());
        co_return;
    }
    co_await send_json(asked.transaction, 200, *body);
}

awaitable<void> App::tools(Asked asked) {
    const auto gateway = gateway_;
    const Sources sources =
        asked.caller.kind == policy::Caller::Kind::admin ? Sources::shown : Sources::hidden;
    const policy::ToolAccess access(asked.caller, gateway->access.auth);
    auto body = co_await list_tools(gateway->tools.get(), access, sources, asked.transaction->stop);
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::run_tool(Asked asked) {
    const auto gateway = gateway_;
    exchange::Guard guard(gateway.get(), worker_, asked.record);
    const policy::Key* key = asked.caller.key.get();
    auto selected = guard.select({}, {}, key != nullptr ? &key->guardrails : nullptr,
                                 asked.transaction->request.headers);
    if (!selected) {
        co_await turn_away(asked.transaction, asked.record, std::move(selected.error()));
        co_return;
    }
    co_await guard.wait_until_ready();
    const policy::ToolAccess access(asked.caller, gateway->access.auth);
    // What is run here is in no ledger.
    const policy::SharedLimits& limits = gateway->access.limits;
    const bool refused = key != nullptr &&
                         limits.unpriced == policy::SharedLimits::Unpriced::refuse &&
                         !policy::budgets_of(*key, limits, utc_now()).holds.empty();
    const policy::Prices* uncounted = refused ? &gateway->prices : nullptr;
    auto body = co_await execute_tool(gateway->tools.get(), access, uncounted,
                                      std::move(asked.transaction->request.body), &worker_->parser,
                                      &guard, asked.transaction->stop);
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::send_result(http::Transaction* transaction, telemetry::RequestRecord* record,
                                 Result<std::string> body, int status) {
    if (body) {
        co_await send_json(transaction, status, std::move(*body));
    } else {
        co_await turn_away(transaction, record, std::move(body.error()));
    }
}

awaitable<void> App::health(Asked asked) {
    co_await send_json(asked.transaction, 200, R"({"status":"ok"})");
}

awaitable<void> App::readiness(Asked asked) {
    const std::string_view status = draining_ ? "draining" : "ok";
    const int code = draining_ ? 503 : 200;
    if (!has_flag(asked.transaction->request.query(), "verbose")) {
        co_await send_json(asked.transaction, code, fmt::format(R"({{"status":"{}"}})", status));
    } else if (auto allowed = admits(*asked.transaction); !allowed) {
        co_await refuse(asked.transaction, asked.record, std::move(allowed.error()));
    } else {
        co_await send_json(asked.transaction, code,
                           readiness_answer(status, *gateway_, *shared_, Clock::now()));
    }
}

// The same for everybody, and other only with another version of the program.
awaitable<void> App::description(Asked asked) {
    http::HeaderList& headers = asked.transaction->responder->headers();
    headers.add("Cache-Control", "no-cache");
    const FileAnswer answer =
        send_file(api_files().front(), asked.transaction->request, 200, &headers);
    co_await asked.transaction->responder->send(answer.status, answer.body);
}

awaitable<void> App::providers(Asked asked) {
    co_await send_json(asked.transaction, 200, providers_answer(*gateway_, *shared_, Clock::now()));
}

awaitable<void> App::reload_config(Asked asked) {
    const Operations::Reloaded outcome = co_await reload(operations_, actor_of(asked));
    co_await send_json(asked.transaction, outcome ? 200 : 400, reload_answer(outcome));
}

awaitable<void> App::preflight(http::Transaction* transaction) {
    if (pages_of(transaction->request) != Pages::none)
        add_preflight(transaction->request.headers, &transaction->responder->headers());
    co_await transaction->responder->send(204, {});
}

// There was no place for the request, or it was ended while it waited for one.
awaitable<void> App::turn_away(http::Transaction* transaction, telemetry::RequestRecord* record,
                               Error error) {
    const Stop::Reason reason = transaction->stop->reason();
    if (reason == Stop::Reason::client_gone) co_return;
    if (reason == Stop::Reason::shutdown) error.message = "the gateway is shutting down; try again";
    co_await refuse(transaction, record, std::move(error));
}

awaitable<void> App::refuse(http::Transaction* transaction, telemetry::RequestRecord* record,
                            Error error) {
    record->error_kind = name_of(error.kind);
    record->error_detail = error.message;
    exchange::add_retry_after(error, &transaction->responder->headers());
    const auto* dialect = dialect::dialect_named(gateway_->dialect);
    co_await send_json(transaction, shape_of(error.kind).status, dialect->error_body(error));
}

awaitable<void> App::send_json(http::Transaction* transaction, int status, std::string body) {
    transaction->responder->headers().add("Content-Type", "application/json");
    co_await transaction->responder->send(status, body);
}

std::string App::describe(const Error& error, const http::Request* request,
                          http::HeaderList* headers) {
    telemetry::RequestRecord record = begin(*request, headers);
    record.status = shape_of(error.kind).status;
    record.error_kind = name_of(error.kind);
    record.error_detail = error.message;
    headers->add("Content-Type", "application/json");
    exchange::add_retry_after(error, headers);
    tell_limits(*request, {}, record, *headers);
    telemetry::log_request(record);
    worker_->requests.add(record);
    return dialect::dialect_named(gateway_->dialect)->error_body(error);
}

}  // namespace runnel::server
