#include "json/writer.hpp"
#include "server/admin/overview.hpp"
#include "server/handlers.hpp"
#include "server/url.hpp"
#include "telemetry/trace_queue.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

// Whether the gateway is there, and how its providers fare.
namespace runnel::server {
namespace {

using TargetHealths = std::vector<router::Health::Entry>;

// How each of the provider's models fares through each of its keys, as far as it was asked.
void write_targets(json::Writer* out, std::string_view provider, const TargetHealths& targets) {
    out->key("targets").begin_array();
    for (const router::Health::Entry& target : targets) {
        if (target.name.substr(0, target.name.find('/')) != provider) continue;
        out->begin_object().key("target").string(target.name).key("breaker").string(target.breaker);
        out->key("ready_in_ms").number(target.ready_in.count());
        out->key("successes").number(static_cast<std::int64_t>(target.successes));
        out->key("failures").number(static_cast<std::int64_t>(target.failures));
        out->key("first_token_ms");
        if (target.first_token.count() > 0) {
            out->real(static_cast<double>(target.first_token.count()) / 1000);
        } else {
            out->null();
        }
        out->end_object();
    }
    out->end_array();
}

void write_origin(json::Writer* out, const exchange::ProviderSlot& slot) {
    const http::Origin& origin = slot.destination.origin;
    out->key("origin");
    if (origin.host.empty()) {
        out->null();
        return;
    }
    const bool https = origin.scheme == http::Origin::Scheme::https;
    out->string((https ? "https://" : "http://") + origin.host_header);
}

void write_timeout(json::Writer* out, std::string_view name,
                   const std::optional<std::chrono::milliseconds>& time) {
    if (time) out->key(name).number(time->count());
}

void write_trace_figures(json::Writer* out, const telemetry::TraceQueue::Figures& figures) {
    out->key("traces").begin_object();
    out->key("waiting_requests").number(static_cast<std::int64_t>(figures.waiting_requests));
    out->key("sent_spans").number(static_cast<std::int64_t>(figures.sent_spans));
    out->key("dropped_spans").number(static_cast<std::int64_t>(figures.dropped_spans));
    out->end_object();
}

// Each provider, and how its targets fare.
std::string providers_json(const exchange::Gateway& gateway, const exchange::SharedState& state,
                           router::Health::Time now) {
    const TargetHealths targets = state.health.entries(now);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const exchange::ProviderSlot& slot : gateway.providers) {
        out.begin_object().key("name").string(slot.name).key("kind").string(slot.kind);
        write_origin(&out, slot);
        out.key("keys").number(static_cast<std::int64_t>(slot.credentials.size()));
        if (slot.retries) out.key("retries").number(*slot.retries);
        out.key("timeouts_ms").begin_object();
        write_timeout(&out, "connect", slot.timeouts.connect);
        write_timeout(&out, "first_token", slot.timeouts.first_token);
        write_timeout(&out, "idle", slot.timeouts.idle);
        write_timeout(&out, "total", slot.timeouts.total);
        out.end_object();
        if (const exchange::Admission* admission = state.admissions.to_provider.find(slot.name))
            write_requests(&out, admission->figures());
        write_targets(&out, slot.name, targets);
        out.end_object();
    }
    out.end_array().end_object();
    return body;
}

// The same in short.
std::string readiness_json(std::string_view status, const exchange::Gateway& gateway,
                           const exchange::SharedState& state, router::Health::Time now) {
    const TargetHealths targets = state.health.entries(now);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("status").string(status);
    write_requests(&out, state.admissions.requests.figures());
    if (state.traces != nullptr) write_trace_figures(&out, state.traces->figures());
    out.key("providers").begin_array();
    for (const exchange::ProviderSlot& slot : gateway.providers) {
        out.begin_object().key("name").string(slot.name);
        write_targets(&out, slot.name, targets);
        out.end_object();
    }
    out.end_array().end_object();
    return body;
}

}  // namespace

Answer show_health(Call call) { return send_json(call, 200, R"({"status":"ok"})"); }

Answer show_readiness(Call call) {
    const std::string_view status = call.resources->draining ? "draining" : "ok";
    const int code = call.resources->draining ? 503 : 200;
    if (!has_flag(call.request().query(), "verbose"))
        return send_json(call, code, fmt::format(R"({{"status":"{}"}})", status));
    if (auto allowed = may_administer(call); !allowed)
        return refuse(call, std::move(allowed.error()));
    return send_json(call, code,
                     readiness_json(status, call.gateway(), *call.resources->shared,
                                    router::Health::Clock::now()));
}

Answer list_providers(Call call) {
    return send_json(
        call, 200,
        providers_json(call.gateway(), *call.resources->shared, router::Health::Clock::now()));
}

}  // namespace runnel::server
