#include "router/router.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::router {
namespace {

constexpr std::string_view own_name = "runnel";  // who owns a virtual model, in the list

// One target that can is enough, since it is the one that will be asked.
void join(std::optional<bool>& all, const std::optional<bool>& one) {
    if (one == true || all == true) {
        all = true;
    } else if (one != false) {
        all.reset();
    }
}

// What all of them allow; unknown where one's is.
void join(std::optional<std::int64_t>& all, const std::optional<std::int64_t>& one) {
    if (!all || !one) {
        all.reset();
    } else {
        all = std::min(*all, *one);
    }
}

// What a model can do that is served by any of these.
ModelFacts joined(const std::vector<Target>& targets) {
    ModelFacts facts = targets.front().facts;
    for (const Target& target : targets) {
        join(facts.tools, target.facts.tools);
        join(facts.vision, target.facts.vision);
        join(facts.reasoning, target.facts.reasoning);
        join(facts.streaming, target.facts.streaming);
        join(facts.context_length, target.facts.context_length);
        join(facts.max_output, target.facts.max_output);
    }
    return facts;
}

}  // namespace

std::vector<std::string> Router::own_names() const {
    std::vector<std::string> names;
    for (const ModelEntry& model : models_) names.push_back(model.name);
    for (const AliasEntry& alias : aliases_) names.push_back(alias.name);
    return names;
}

std::vector<std::string> Router::names_of(std::string_view model) const {
    const auto route = resolve(model);
    if (!route) return {};
    std::vector<std::string> names{std::string(model), route->name};
    const ModelEntry* own = model_named(route->name);
    if (own == nullptr) {
        names.push_back(own_name_of(route->targets.front()));
    } else if (!own->id.empty()) {
        names.push_back(own->id);
    }
    return names;
}

std::string Router::own_name_of(const Target& target) const {
    return fmt::format("{}/{}", providers_[target.provider].name, target.model);
}

std::string Router::own_name_of(std::string_view model) const {
    const std::string_view meant = meant_by(model);
    if (const ModelEntry* own = model_named(meant)) return own->name;
    const auto target = target_named(meant);
    return target ? own_name_of(*target) : std::string();
}

bool Router::is_model_id(std::string_view name) const {
    const ModelEntry* model = model_named(name);
    return model != nullptr && model->id == name;
}

Result<Router::Listed> Router::describe(std::string_view model) const {
    const auto route = resolve(model);
    if (!route) return fail(route.error());
    Listed listed{route->name, std::string(own_name), joined(route->targets)};
    const ModelEntry* own = model_named(route->name);
    if (meant_by(model) != model) listed.id = model;
    if (own == nullptr && listed.id == route->name) {
        listed.owned_by = providers_[route->targets.front().provider].name;
        return listed;
    }
    for (const Target& target : route->targets) listed.targets.push_back(target.public_name);
    if (own == nullptr) return listed;
    if (listed.id == own->name) listed.model_id = own->id;
    if (own->streams == ModelEntry::Streams::no) listed.facts.streaming = false;
    if (own->max_tokens)
        listed.facts.max_output =
            std::min(*own->max_tokens, listed.facts.max_output.value_or(*own->max_tokens));
    return listed;
}

std::vector<Router::Listed> Router::list() const {
    std::vector<Listed> all;
    const auto add = [&](std::string_view name) {
        if (auto listed = describe(name)) all.push_back(std::move(*listed));
    };
    const std::vector<std::string> own = own_names();
    for (const std::string& name : own) add(name);
    for (const ProviderEntry& provider : providers_) {
        for (const std::string& model : provider.models) {
            const std::string name = fmt::format("{}/{}", provider.name, model);
            if (std::ranges::find(own, name) == own.end()) add(name);
        }
    }
    return all;
}

}  // namespace runnel::router
