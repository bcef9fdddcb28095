#include "exchange/routes.hpp"

#include "api/chat/request.hpp"
#include "provider/catalogue.hpp"
#include "provider/model_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::exchange {
namespace {

// The config's word on a model first, then what ships with Runnel.
router::ModelFacts facts_of(std::string_view kind, const std::vector<config::KnownModel>& models,
                            std::string_view name) {
    const auto known = provider::known_facts(kind, name);
    const auto said = std::ranges::find(models, name, &config::KnownModel::name);
    return said == models.end() ? known : said->facts.or_else(known);
}

router::ProviderEntry make_entry(const config::Provider& config) {
    const provider::Catalogue catalogue = provider::catalogue_of(config.kind);
    router::ProviderEntry entry{config.name};
    entry.model_prefixes.assign(catalogue.prefixes.begin(), catalogue.prefixes.end());
    entry.needless_prefix = catalogue.needless_prefix;
    for (const config::KnownModel& model : config.models) entry.models.push_back(model.name);
    for (const std::string_view name : catalogue.models)
        if (std::ranges::find(entry.models, name) == entry.models.end())
            entry.models.emplace_back(name);
    if (catalogue.others == provider::Catalogue::Others::refused)
        entry.others = router::ProviderEntry::Others::refused;
    entry.facts = [kind = config.kind, models = config.models](std::string_view name) {
        return facts_of(kind, models, name);
    };
    return entry;
}

Result<router::ModelEntry> make_entry(const config::Model& config) {
    router::ModelEntry entry;
    entry.name = config.name;
    if (!config.defaults_json.empty()) {
        auto defaults = api::read_chat_defaults(config.defaults_json);
        if (!defaults)
            return fail(defaults.error().kind, fmt::format("models.{}.defaults: {}", config.name,
                                                           defaults.error().message));
        entry.defaults = std::make_shared<const chat::Request>(std::move(*defaults));
    }
    for (const config::Target& target : config.targets)
        entry.targets.push_back({target.name, target.weight});
    entry.system = config.system;
    entry.dialect = config.dialect;
    entry.policy = config.policy;
    if (config.streams == config::Model::Streams::no)
        entry.streams = router::ModelEntry::Streams::no;
    entry.stream_fallback = config.stream_fallback;
    entry.max_tokens = config.max_tokens;
    entry.concurrent = config.concurrent;
    entry.tools = config.tools;
    entry.hidden_tools = config.hidden_tools;
    entry.max_tool_rounds = config.max_tool_rounds;
    entry.id = config.id;
    entry.text_tool_calls = config.text_tool_calls;
    entry.cached = config.cached;
    entry.same_model = config.same_model;
    entry.guardrails = config.guardrails;
    return entry;
}

}  // namespace

Result<router::Router> make_router(const config::Config& config,
                                   const std::vector<config::Provider>& providers) {
    std::vector<router::ProviderEntry> provider_entries;
    std::vector<router::ModelEntry> models;
    std::vector<router::AliasEntry> aliases;
    for (const config::Provider& provider : providers)
        provider_entries.push_back(make_entry(provider));
    for (const config::Model& model : config.models) {
        auto entry = make_entry(model);
        if (!entry) return propagate(entry);
        models.push_back(std::move(*entry));
    }
    for (const auto& [name, model] : config.aliases) aliases.push_back({name, model});
    return router::Router(std::move(provider_entries), std::move(models), std::move(aliases),
                          config.default_model);
}

}  // namespace runnel::exchange
