#include "server/admin.hpp"

#include "base/error.hpp"
#include "base/limits.hpp"
#include "config/masked_text.hpp"
#include "json/form.hpp"
#include "telemetry/trace_queue.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <utility>

namespace runnel::server {
namespace {

void write_names(json::Writer* out, std::string_view key, const std::vector<std::string>& names) {
    out->key(key).begin_array();
    for (const std::string& name : names) out->string(name);
    out->end_array();
}

void write_problems(json::Writer* out, const std::vector<config::Problem>& problems) {
    out->key("problems").begin_array();
    for (const config::Problem& problem : problems) {
        out->begin_object().key("line").number(problem.line);
        out->key("column").number(problem.column);
        out->key("message").string(problem.message).end_object();
    }
    out->end_array();
}

using Lines = std::vector<router::Health::Entry>;

// How each of the provider's models fares through each of its keys, as far as it was asked.
void write_lines(json::Writer* out, std::string_view provider, const Lines& lines) {
    out->key("lines").begin_array();
    for (const router::Health::Entry& line : lines) {
        if (line.line.substr(0, line.line.find('/')) != provider) continue;
        out->begin_object().key("line").string(line.line).key("breaker").string(line.breaker);
        out->key("ready_in_ms").number(line.ready_in.count());
        out->key("successes").number(static_cast<std::int64_t>(line.successes));
        out->key("failures").number(static_cast<std::int64_t>(line.failures));
        out->key("first_token_ms");
        if (line.first_token.count() > 0) {
            out->real(static_cast<double>(line.first_token.count()) / 1000);
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

void write_traces(json::Writer* out, const telemetry::TraceQueue::Figures& figures) {
    out->key("traces").begin_object();
    out->key("waiting_requests").number(static_cast<std::int64_t>(figures.waiting_requests));
    out->key("sent_spans").number(static_cast<std::int64_t>(figures.sent_spans));
    out->key("dropped_spans").number(static_cast<std::int64_t>(figures.dropped_spans));
    out->end_object();
}

void write_time(json::Writer* out, std::string_view name,
                const std::optional<std::chrono::milliseconds>& time) {
    if (time) out->key(name).number(time->count());
}

}  // namespace

void write_requests(json::Writer* out, const exchange::Admission::Figures& figures) {
    out->key("requests").begin_object();
    out->key("running").number(static_cast<std::int64_t>(figures.inside));
    out->key("waiting").number(static_cast<std::int64_t>(figures.waiting));
    out->key("limit");
    if (figures.concurrent > 0) {
        out->number(static_cast<std::int64_t>(figures.concurrent));
    } else {
        out->null();
    }
    out->end_object();
}

boost::asio::awaitable<Operations::Reloaded> reload(Operations* operations, store::Actor by) {
    namespace asio = boost::asio;
    const auto begin = [operations, by = std::move(by)](auto handler) {
        const auto loop = asio::get_associated_executor(handler);
        // Shared only because std::function copies what it holds.
        auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
        operations->reload(by, [loop, waiting](Operations::Reloaded outcome) {
            asio::post(loop, [waiting, outcome = std::move(outcome)]() mutable {
                std::move (*waiting)(std::move(outcome));
            });
        });
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                            void(Operations::Reloaded)>(begin, asio::use_awaitable);
}

std::string reload_answer(const Operations::Reloaded& outcome) {
    std::string body;
    json::Writer out(body);
    out.begin_object();
    if (outcome) {
        out.key("status").string("reloaded");
        write_names(&out, "providers_added", outcome->providers_added);
        write_names(&out, "providers_removed", outcome->providers_removed);
        write_names(&out, "models_added", outcome->models_added);
        write_names(&out, "models_removed", outcome->models_removed);
        write_names(&out, "need_restart", outcome->need_restart);
    } else {
        const ErrorShape shape = shape_of(ErrorKind::invalid_value);
        out.key("error").begin_object();
        out.key("message").string("the config has problems; the one in use stays");
        out.key("type").string(shape.type).key("param").null().key("code").string(shape.code);
        out.end_object();
        write_problems(&out, outcome.error());
    }
    out.end_object();
    return body;
}

std::string config_answer(const Operations::ConfigText& config) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("file");
    config.file.empty() ? out.null() : out.string(config.file);
    out.key("text").string(config::masked_text(config.text)).end_object();
    return body;
}

Result<std::string> config_check_answer(std::string_view body, const Operations& operations) {
    auto form = json::Form::read(body);
    if (!form) return propagate(form);
    auto fields = form->root().fields();
    if (!fields) return propagate(fields);
    for (const auto& [name, value] : *fields) {
        if (name != "text") continue;
        auto text = value.raw_text(limits::request_body_bytes);
        if (!text) return propagate(text);
        std::string answer;
        json::Writer out(answer);
        out.begin_object();
        write_problems(&out, operations.problems_of(*text));
        out.end_object();
        return answer;
    }
    return fail_at(ErrorKind::missing_required_field, "text", "text is missing: a config as YAML");
}

std::string providers_answer(const exchange::Gateway& gateway, const exchange::SharedState& state,
                             router::Health::Time now) {
    const Lines lines = state.health.entries(now);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const exchange::ProviderSlot& slot : gateway.providers) {
        out.begin_object().key("name").string(slot.name).key("kind").string(slot.kind);
        write_origin(&out, slot);
        out.key("keys").number(static_cast<std::int64_t>(slot.by_key.size()));
        if (slot.retries) out.key("retries").number(*slot.retries);
        out.key("timeouts_ms").begin_object();
        write_time(&out, "connect", slot.timeouts.connect);
        write_time(&out, "first_token", slot.timeouts.first_token);
        write_time(&out, "idle", slot.timeouts.idle);
        write_time(&out, "total", slot.timeouts.total);
        out.end_object();
        if (const exchange::Admission* admission = state.to_provider.find(slot.name))
            write_requests(&out, admission->figures());
        write_lines(&out, slot.name, lines);
        out.end_object();
    }
    out.end_array().end_object();
    return body;
}

std::string readiness_answer(std::string_view status, const exchange::Gateway& gateway,
                             const exchange::SharedState& state, router::Health::Time now) {
    const Lines lines = state.health.entries(now);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("status").string(status);
    write_requests(&out, state.requests.figures());
    if (state.traces != nullptr) write_traces(&out, state.traces->figures());
    out.key("providers").begin_array();
    for (const exchange::ProviderSlot& slot : gateway.providers) {
        out.begin_object().key("name").string(slot.name);
        write_lines(&out, slot.name, lines);
        out.end_object();
    }
    out.end_array().end_object();
    return body;
}

}  // namespace runnel::server
