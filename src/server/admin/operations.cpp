#include "server/admin/operations.hpp"

#include "base/error.hpp"
#include "base/limits.hpp"
#include "config/yaml/masked_text.hpp"
#include "json/form.hpp"
#include "json/writer.hpp"
#include "server/handlers.hpp"

#include <memory>
#include <utility>

// The config: what it is, what would be wrong with another, and reading it again.
namespace runnel::server {

using boost::asio::awaitable;

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

// The text that is in use, its secrets masked.
std::string config_json(const Operations::ConfigText& config) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("file");
    config.file.empty() ? out.null() : out.string(config.file);
    out.key("text").string(config::masked_text(config.text)).end_object();
    return body;
}

// What is wrong with the config in a request's {"text"}.
Result<std::string> config_check_json(std::string_view body, const Operations& operations) {
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

// Has the config read again, and waits for it.
awaitable<Operations::Reloaded> reload(Operations* operations, storage::Actor by) {
    using Reloaded = Operations::Reloaded;
    const auto ask = [operations, &by](exchange::Callback<Reloaded> answered) {
        // Shared only because std::function copies what it holds.
        auto waiting = std::make_shared<exchange::Callback<Reloaded>>(std::move(answered));
        operations->reload(std::move(by),
                           [waiting](Reloaded outcome) { (*waiting)(std::move(outcome)); });
    };
    co_return co_await exchange::await_callback<Reloaded>(ask);
}

}  // namespace

std::string reload_json(const Operations::Reloaded& outcome) {
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

Answer show_config(Call call) {
    Operations* operations = call.resources->operations;
    auto body = co_await aside<std::string>(
        operations, [operations] { return config_json(operations->config_text()); });
    co_await send_secret(call, std::move(body));
}

// Patterns are compiled and files are read for it.
Answer check_config(Call call) {
    Operations* operations = call.resources->operations;
    auto body = co_await aside<Result<std::string>>(
        operations, [operations, text = std::move(call.request().body)] {
            return config_check_json(text, *operations);
        });
    co_await send_result(call, std::move(body));
}

Answer reload_config(Call call) {
    const auto outcome = co_await reload(call.resources->operations, actor_of(call));
    co_await send_json(call, outcome ? 200 : 400, reload_json(outcome));
}

}  // namespace runnel::server
