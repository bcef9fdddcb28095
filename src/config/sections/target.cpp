#include "config/sections/target.hpp"

#include "base/nearest.hpp"
#include "config/names.hpp"
#include "provider/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_target[] = {"target", "weight"};

constexpr std::int64_t weight_max = 1000;

// A bare name that this provider is known for.
bool claims(const Provider& provider, std::string_view model) {
    const auto catalogue = provider::catalogue_of(provider.kind);
    const auto begins = [&](std::string_view prefix) { return model.starts_with(prefix); };
    return std::ranges::any_of(catalogue.prefixes, begins) ||
           std::ranges::find(catalogue.models, model) != catalogue.models.end() ||
           std::ranges::find(provider.models, model, &KnownModel::name) != provider.models.end();
}

// What is near the part of a target that nobody is called, or else what there is.
std::string instead_of(std::string_view written, std::span<const std::string_view> names) {
    const std::string near = did_you_mean(written, names);
    return near.empty() ? fmt::format("; there is {}", fmt::join(names, ", ")) : near;
}

std::optional<Target> read_weighted(const Value& value, const KnownProviders& providers,
                                    std::optional<Value>& a_weight) {
    const auto section = value.section(keys_of_target);
    if (!section) return std::nullopt;
    const Value* name = section->find("target");
    if (!name) {
        value.complain("target is missing, such as {target: openai/gpt-5-mini, weight: 3}");
        return std::nullopt;
    }
    auto read = read_target(*name, providers);
    if (!read) return std::nullopt;
    Target target{std::move(*read)};
    const auto weight = [](const Value& written) { return written.whole_number(1, weight_max); };
    section->read("weight", weight, target.weight);
    if (const Value* written = section->find("weight")) a_weight = *written;
    return target;
}

}  // namespace

KnownProviders::KnownProviders(const std::vector<Entry>& written, const std::vector<Provider>& read)
    : read_(&read) {
    for (const Entry& entry : written) names_.push_back(entry.key);
    names_.push_back(built_in_provider);
}

std::optional<bool> KnownProviders::claim(std::string_view model) const {
    const Provider built_in{std::string(built_in_provider), std::string(built_in_provider)};
    const auto claims_it = [&](const Provider& provider) { return claims(provider, model); };
    if (std::ranges::any_of(*read_, claims_it) || claims_it(built_in)) return true;
    if (read_->size() + 1 < names_.size()) return std::nullopt;
    return false;
}

std::vector<std::string_view> KnownProviders::only_models_of(std::string_view provider) const {
    const auto found = std::ranges::find(*read_, provider, &Provider::name);
    if (found == read_->end() && provider != built_in_provider) return {};
    auto catalogue = provider::catalogue_of(found == read_->end() ? built_in_provider
                                                                  : std::string_view(found->kind));
    if (catalogue.others == provider::Catalogue::Others::passed_on) return {};
    return std::move(catalogue.models);
}

std::optional<std::string> read_target(const Value& value, const KnownProviders& providers) {
    auto target = value.text();
    if (!target) return std::nullopt;
    if (target->starts_with('@')) target->erase(0, 1);
    const std::size_t slash = target->find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == target->size()) {
        value.refuse("provider/model, such as openai/gpt-5-mini");
        return std::nullopt;
    }
    const std::string_view provider = std::string_view(*target).substr(0, slash);
    const std::string_view model = std::string_view(*target).substr(slash + 1);
    // Messages show what is written, not what a variable filled in.
    std::string_view written = value.node().text;
    written.remove_prefix(written.starts_with('@') ? 1 : 0);
    const std::string_view written_provider = written.substr(0, written.find('/'));
    const std::string_view written_model =
        written.substr(std::min(written.size(), written_provider.size() + 1));
    const auto names = providers.names();
    if (std::ranges::find(names, provider) == names.end()) {
        value.complain(fmt::format("no provider is named '{}'{}", written_provider,
                                   instead_of(written_provider, names)));
        return std::nullopt;
    }
    const auto models = providers.only_models_of(provider);
    if (!models.empty() && std::ranges::find(models, model) == models.end()) {
        value.complain(fmt::format("{} has no model '{}'{}", written_provider, written_model,
                                   instead_of(written_model, models)));
        return std::nullopt;
    }
    return target;
}

TargetList read_targets(const Value& value, const KnownProviders& providers) {
    TargetList list;
    for (const Value& item : value.list()) {
        std::optional<Target> target;
        if (item.node().kind == Node::Kind::map) {
            target = read_weighted(item, providers, list.a_weight);
        } else if (auto name = read_target(item, providers)) {
            target = Target{std::move(*name)};
        }
        if (!target) continue;
        if (std::ranges::find(list.targets, target->name, &Target::name) != list.targets.end()) {
            item.complain("this target is in the list already; to ask it more often, set retries");
        } else {
            list.targets.push_back(std::move(*target));
        }
    }
    return list;
}

}  // namespace runnel::config
