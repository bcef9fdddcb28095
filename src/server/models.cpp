#include "server/models.hpp"

#include "json/writer.hpp"
#include "policy/key_check.hpp"

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

bool may_use(const policy::Caller& caller, const router::Router& router, std::string_view model) {
    return caller.key == nullptr || policy::has_model(*caller.key, router.names_of(model));
}

router::Router::Listed as_seen_by_browsers(router::Router::Listed model) {
    model.id = std::move(model.model_id);
    model.targets.clear();
    return model;
}

}  // namespace

Result<std::string> list_models(const router::Router& router, const policy::Caller& caller,
                                std::int64_t created) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (auto& model : router.list()) {
        if (!may_use(caller, router, model.id)) continue;
        if (!caller.is_browser()) {
            write_model(out, model, created);
        } else if (!model.model_id.empty()) {
            write_model(out, as_seen_by_browsers(std::move(model)), created);
        }
    }
    out.end_array().end_object();
    return body;
}

Result<std::string> describe_model(const router::Router& router, const policy::Caller& caller,
                                   std::string_view id, std::int64_t created) {
    if (caller.is_browser() && !router.is_model_id(id))
        return fail(policy::browser_model_refused(id));
    // Also what does not exist: what others have is not told.
    if (!may_use(caller, router, id)) return fail(policy::model_refused(id));
    auto model = router.describe(id);
    if (!model) return propagate(model);
    std::string body;
    json::Writer out(body);
    write_model(out, caller.is_browser() ? as_seen_by_browsers(std::move(*model)) : *model,
                created);
    return body;
}

}  // namespace runnel::server
