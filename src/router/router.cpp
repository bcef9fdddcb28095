#include "router/router.hpp"

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "router/needs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::router {
namespace {

constexpr std::size_t quoted_bytes = 128;  // of a client's name, in a message
constexpr std::size_t suggestions_max = 3;

const std::string* non_empty(const std::string& text) { return text.empty() ? nullptr : &text; }

bool lists(const ProviderEntry& provider, std::string_view model) {
    return std::ranges::find(provider.models, model) != provider.models.end();
}

bool claims(const ProviderEntry& provider, std::string_view model) {
    const auto begins = [&](const std::string& prefix) { return model.starts_with(prefix); };
    return lists(provider, model) || std::ranges::any_of(provider.model_prefixes, begins);
}

bool serves(const ProviderEntry& provider, std::string_view model) {
    return !model.empty() &&
           (provider.others == ProviderEntry::Others::passed_on || lists(provider, model));
}

bool same_place(const Target& one, const Target& other) {
    return one.provider == other.provider && one.model == other.model;
}

// Leaves out the targets that are known not to do what the request needs.
Result<void> leave_out_unfit(const chat::Operation& operation, Route& route) {
    std::optional<Need> missing;
    const auto is_unfit = [&](const Target& target) {
        const bool lacks_own_tools = route.tools != nullptr && target.facts.tools == false;
        const auto need = lacks_own_tools ? Need::tools : unmet_need(operation, target.facts);
        if (need && !missing) missing = need;
        return need.has_value();
    };
    std::erase_if(route.targets, is_unfit);
    if (!missing) return {};
    if (route.targets.empty()) return fail(lacks(route.name, *missing));
    route.warnings.emplace_back("fallback_skipped");
    return {};
}

// Who can't be asked without them can't be asked by a detour either.
void add_guardrails(const std::vector<std::string>& names, Route& route) {
    route.guardrails.insert(route.guardrails.end(), names.begin(), names.end());
}

}  // namespace

Router::Router(std::vector<ProviderEntry> providers, std::vector<ModelEntry> models,
               std::vector<AliasEntry> aliases, std::string default_model)
    : providers_(std::move(providers)),
      models_(std::move(models)),
      aliases_(std::move(aliases)),
      default_model_(std::move(default_model)) {
    for (std::size_t i = 0; i < providers_.size(); ++i)
        provider_by_name_.emplace(providers_[i].name, i);
    for (std::size_t i = 0; i < models_.size(); ++i) model_by_name_.emplace(models_[i].name, i);
    for (std::size_t i = 0; i < models_.size(); ++i)
        if (!models_[i].id.empty()) model_by_name_.emplace(models_[i].id, i);
    for (std::size_t i = 0; i < aliases_.size(); ++i) alias_by_name_.emplace(aliases_[i].name, i);
    for (const ModelEntry& model : models_) model_targets_.push_back(targets_of(model));
}

std::vector<Target> Router::targets_of(const ModelEntry& model) const {
    std::vector<Target> targets;
    for (const ModelEntry::Target& entry : model.targets) {
        auto target = target_named(entry.name);
        if (!target) continue;
        target->weight = entry.weight;
        targets.push_back(std::move(*target));
    }
    return targets;
}

const ModelEntry* Router::model_named(std::string_view name) const {
    const auto found = model_by_name_.find(std::string(name));
    return found == model_by_name_.end() ? nullptr : &models_[found->second];
}

// An alias stands for another name, and no name for the default model's.
std::string_view Router::meant_by(std::string_view name) const {
    if (name.empty()) name = default_model_;
    const auto found = alias_by_name_.find(std::string(name));
    return found == alias_by_name_.end() ? name : std::string_view(aliases_[found->second].model);
}

Result<Route> Router::resolve(std::string_view model) const {
    const std::string_view meant = meant_by(model);
    if (meant.empty())
        return fail_at(ErrorKind::missing_required_field, "model",
                       "model is missing, and no default model is configured");
    if (const ModelEntry* found = model_named(meant)) return route_to_model(*found);
    auto target = target_named(meant);
    if (!target) return propagate(target);
    if (const ModelEntry* own = model_named(own_name_of(*target))) return route_to_model(*own);
    Route route{target->public_name, {}};
    route.targets.push_back(std::move(*target));
    return route;
}

Result<Route> Router::resolve(const chat::Operation& operation) const {
    auto route = route_for(operation.model, operation);
    if (!route) return route;
    if (auto added = add_fallbacks(operation, *route); !added) return propagate(added);
    if (auto left_out = leave_out_unfit(operation, *route); !left_out) return propagate(left_out);
    return route;
}

Result<Route> Router::route_for(std::string_view name, const chat::Operation& operation) const {
    const ModelEntry* model = model_named(meant_by(name));
    if (model == nullptr || model->streams == ModelEntry::Streams::yes || !operation.streams())
        return resolve(name);
    if (model->stream_fallback.empty()) return fail(lacks(model->name, Need::streaming));
    if (operation.strict_model)
        return fail_at(
            ErrorKind::unsupported_parameter, "model",
            fmt::format("the model '{}' can't stream, and strict_model forbids that '{}' "
                        "stands in for it; leave out stream or strict_model",
                        model->name, model->stream_fallback));
    auto route = resolve(model->stream_fallback);
    if (!route) return route;
    route->rerouted_from = model->name;
    route->stand_ins.push_back(route->name);
    add_guardrails(model->guardrails, *route);
    return route;
}

Result<void> Router::add_fallbacks(const chat::Operation& operation, Route& route) const {
    for (const std::string& name : operation.fallback) {
        auto other = route_for(name, operation);
        if (!other) {
            other.error().param = "fallback";
            return propagate(other);
        }
        add_guardrails(other->guardrails, route);
        route.stand_ins.insert(route.stand_ins.end(), other->stand_ins.begin(),
                               other->stand_ins.end());
        for (Target& target : other->targets) {
            const auto is_same = [&](const Target& known) { return same_place(known, target); };
            if (std::ranges::any_of(route.targets, is_same)) continue;
            target.weight = 0;
            target.fallback_of.push_back(other->name);
            if (!other->rerouted_from.empty()) target.fallback_of.push_back(other->rerouted_from);
            route.targets.push_back(std::move(target));
        }
    }
    return {};
}

Result<Route> Router::route_to_model(const ModelEntry& model) const {
    Route route{model.name, model_targets_[static_cast<std::size_t>(&model - models_.data())]};
    // The config is checked for this; a router may be built from elsewhere.
    if (route.targets.empty())
        return fail_at(ErrorKind::model_unavailable, "model",
                       fmt::format("the model '{}' has no target that is configured", model.name));
    route.system = non_empty(model.system);
    route.defaults = model.defaults.get();
    route.dialect = non_empty(model.dialect);
    route.policy = model.policy;
    route.max_tokens = model.max_tokens;
    route.concurrent = model.concurrent;
    if (!model.tools.empty()) route.tools = &model.tools;
    if (!model.hidden_tools.empty()) route.hidden_tools = &model.hidden_tools;
    route.max_tool_rounds = model.max_tool_rounds;
    route.text_tool_calls = model.text_tool_calls;
    route.cached = model.cached;
    route.same_model = model.same_model;
    route.guardrails = model.guardrails;
    return route;
}

Target Router::make_target(std::size_t provider, std::string_view model,
                           std::string_view public_name) const {
    const std::string& needless = providers_[provider].needless_prefix;
    if (model.size() > needless.size() && model.starts_with(needless))
        model.remove_prefix(needless.size());
    Target target{provider, std::string(model), std::string(public_name)};
    if (providers_[provider].facts) target.facts = providers_[provider].facts(model);
    return target;
}

Result<Target> Router::target_named(std::string_view name) const {
    const bool tagged = name.starts_with('@');
    const std::string_view path = tagged ? name.substr(1) : name;
    // The first slash ends the provider's name: those behind it belong to the model.
    if (const std::size_t slash = path.find('/'); slash != std::string_view::npos) {
        const auto found = provider_by_name_.find(std::string(path.substr(0, slash)));
        const std::string_view model = path.substr(slash + 1);
        if (found != provider_by_name_.end() && serves(providers_[found->second], model))
            return make_target(found->second, model, path);
    }
    // Also with a slash in it: some catalogues have names like "meta-llama/llama-4".
    if (!tagged)
        for (std::size_t i = 0; i < providers_.size(); ++i)
            if (claims(providers_[i], name)) return make_target(i, name, name);
    return fail(not_found(name));
}

// Names to ask for instead: with the provider's name mended where that is all there is to mend.
std::vector<std::string> Router::names_near(std::string_view path) const {
    std::vector<std::string_view> providers;
    for (const ProviderEntry& provider : providers_) providers.push_back(provider.name);
    const std::size_t slash = path.find('/');
    if (slash != std::string_view::npos && slash + 1 < path.size())
        for (const std::string_view name : nearest_names(path.substr(0, slash), providers, 1))
            if (name != path.substr(0, slash))
                return {fmt::format("{}{}", name, path.substr(slash))};

    std::vector<std::string> known = own_names();
    for (const ProviderEntry& provider : providers_) {
        for (const std::string& model : provider.models) {
            known.push_back(model);
            known.push_back(fmt::format("{}/{}", provider.name, model));
        }
    }
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    const auto near = nearest_names(path, candidates, suggestions_max);
    return {near.begin(), near.end()};
}

// The provider of a provider/model that has no models but those it lists.
const ProviderEntry* Router::closed_provider_of(std::string_view name) const {
    name.remove_prefix(name.starts_with('@') ? 1 : 0);
    const auto found = provider_by_name_.find(std::string(name.substr(0, name.find('/'))));
    if (found == provider_by_name_.end() || !name.contains('/')) return nullptr;
    const ProviderEntry& provider = providers_[found->second];
    return provider.others == ProviderEntry::Others::refused ? &provider : nullptr;
}

Error Router::not_found(std::string_view name) const {
    std::string message =
        fmt::format("the model '{}' does not exist", utf8_prefix(name, quoted_bytes));
    if (name.size() <= quoted_bytes) {
        const auto near = names_near(name.substr(name.starts_with('@') ? 1 : 0));
        if (!near.empty())
            message += fmt::format("; did you mean '{}'?", fmt::join(near, "' or '"));
    }
    if (const ProviderEntry* closed = closed_provider_of(name)) {
        message += fmt::format(" ({} has {})", closed->name, fmt::join(closed->models, ", "));
    } else if (!providers_.empty()) {
        std::vector<std::string_view> names;
        for (const ProviderEntry& provider : providers_) names.push_back(provider.name);
        message +=
            fmt::format(" (any model of a provider can be named as provider/model; providers: {})",
                        fmt::join(names, ", "));
    }
    return Error{ErrorKind::model_not_found, std::move(message), "model"};
}

}  // namespace runnel::router
