#include "server/models.hpp"

#include "access/key_check.hpp"
#include "json/writer.hpp"
#include "server/handlers.hpp"
#include "server/model_lists.hpp"
#include "server/url.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace runnel::server {
namespace {

void write_capabilities(json::Writer& out, const router::ModelFacts& facts) {
    const std::pair<std::string_view, std::optional<bool>> known[] = {
        {"tools", facts.tools},
        {"vision", facts.vision},
        {"reasoning", facts.reasoning},
        {"streaming", facts.streaming}};
    out.key("capabilities").begin_object();
    for (const auto& [name, can] : known)
        if (can) out.key(name).boolean(*can);
    out.end_object();
}

void write_model(json::Writer& out, const router::Router::Listed& model, std::int64_t created) {
    out.begin_object().key("id").string(model.id).key("object").string("model");
    out.key("created").number(created).key("owned_by").string(model.owned_by);
    write_capabilities(out, model.facts);
    if (model.facts.context_length) out.key("context_length").number(*model.facts.context_length);
    if (model.facts.max_output) out.key("max_output_tokens").number(*model.facts.max_output);
    if (!model.targets.empty()) {
        out.key("targets").begin_array();
        for (const std::string& target : model.targets) out.string(target);
        out.end_array();
    }
    out.end_object();
}

bool may_use(const access::Caller& caller, const router::Router& router, std::string_view model) {
    return caller.key == nullptr || access::has_model(*caller.key, router.names_of(model));
}

router::Router::Listed as_seen_by_browsers(router::Router::Listed model) {
    model.id = std::move(model.model_id);
    model.targets.clear();
    return model;
}

// Without the last digits of 0.00000025 × 1,000,000.
double per_million(double per_token) { return std::round(per_token * 1e15) / 1e9; }

void write_price(json::Writer& out, std::string_view model, const metering::Price& price) {
    const metering::TokenPrices& tokens = price.tokens;
    const auto write = [&](json::Literal name, const std::optional<double>& per_token) {
        if (per_token) out.key(name).real(per_million(*per_token));
    };
    out.begin_object().key("model").string(model);
    write("input", tokens.input);
    write("output", tokens.output);
    write("cache_read", tokens.cache_read);
    write("cache_write", tokens.cache_write);
    write("reasoning", tokens.reasoning);
    if (price.per_request > 0) out.key("per_request").real(price.per_request);
    out.end_object();
}

// What each listed provider/model costs, where that is known, in US dollars per million tokens.
std::string prices_json(const exchange::Gateway& gateway) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const router::Router::Listed& model : gateway.router.list()) {
        const std::string_view name = model.id;
        const std::size_t slash = std::min(name.find('/'), name.size());
        const auto slot = std::ranges::find(gateway.providers, name.substr(0, slash),
                                            &exchange::ProviderSlot::name);
        if (slash == name.size() || slot == gateway.providers.end()) continue;
        const auto price = gateway.prices.find(slot->name, slot->kind, name.substr(slash + 1));
        if (price) write_price(out, name, *price);
    }
    out.end_array().end_object();
    return body;
}

// When the process began: nobody knows when a model did.
std::int64_t creation_time(const Call& call) {
    return call.resources->shared->started.time_since_epoch().count();
}

}  // namespace

std::vector<router::Router::Listed> models_for(const access::Caller& caller,
                                               const router::Router& router) {
    std::vector<router::Router::Listed> models;
    for (auto& model : router.list()) {
        if (!may_use(caller, router, model.id)) continue;
        if (!caller.is_browser()) {
            models.push_back(std::move(model));
        } else if (!model.model_id.empty()) {
            models.push_back(as_seen_by_browsers(std::move(model)));
        }
    }
    return models;
}

Result<router::Router::Listed> model_for(const access::Caller& caller, const router::Router& router,
                                         std::string_view id) {
    if (caller.is_browser() && !router.is_model_id(id))
        return fail(access::browser_model_refused(id));
    // Also what does not exist: what others have is not told.
    if (!may_use(caller, router, id)) return fail(access::model_refused(id));
    auto model = router.describe(id);
    if (model && caller.is_browser()) return as_seen_by_browsers(std::move(*model));
    return model;
}

std::string models_json(const router::Router& router, const access::Caller& caller,
                        std::int64_t created) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const auto& model : models_for(caller, router)) write_model(out, model, created);
    out.end_array().end_object();
    return body;
}

Result<std::string> model_json(const router::Router& router, const access::Caller& caller,
                               std::string_view id, std::int64_t created) {
    auto model = model_for(caller, router, id);
    if (!model) return propagate(model);
    std::string body;
    json::Writer out(body);
    write_model(out, *model, created);
    return body;
}

// Anthropic's clients ask at the same path, and say who they are.
Answer list_models(Call call) {
    if (speaks_messages(call)) {
        const auto query = query_fields(call.request().query());
        auto body = messages_models_json(models_for(call.caller, call.gateway().router), query,
                                         creation_time(call));
        if (!body) return refuse(call, std::move(body.error()));
        return send_json(call, 200, std::move(*body));
    }
    return send_json(call, 200,
                     models_json(call.gateway().router, call.caller, creation_time(call)));
}

Answer show_model(Call call) {
    const router::Router& router = call.gateway().router;
    const std::string id = call.path_variable();
    Result<std::string> body;
    if (!speaks_messages(call)) {
        body = model_json(router, call.caller, id, creation_time(call));
    } else if (auto model = model_for(call.caller, router, id)) {
        body = messages_model_json(*model, creation_time(call));
    } else {
        body = propagate(model);
    }
    if (!body) return refuse(call, std::move(body.error()));
    return send_json(call, 200, std::move(*body));
}

Answer list_gemini_models(Call call) {
    const auto query = query_fields(call.request().query());
    auto body = gemini_models_json(models_for(call.caller, call.gateway().router), query);
    if (!body) return refuse(call, std::move(body.error()));
    return send_json(call, 200, std::move(*body));
}

Answer show_gemini_model(Call call) {
    const auto model = model_for(call.caller, call.gateway().router, call.path_variable());
    if (!model) return refuse(call, model.error());
    return send_json(call, 200, gemini_model_json(*model));
}

Answer list_prices(Call call) { return send_json(call, 200, prices_json(call.gateway())); }

}  // namespace runnel::server
