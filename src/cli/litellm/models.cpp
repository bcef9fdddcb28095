#include "cli/litellm/models.hpp"

#include "base/limits.hpp"
#include "config/names.hpp"
#include "config/units.hpp"
#include "provider/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace runnel::cli {
namespace {

using Deployments = std::vector<LitellmDeployment>;
using Provider = ConfigDraft::Provider;

constexpr int weight_max = 1000;
constexpr std::chrono::milliseconds time_max = std::chrono::hours(24);

bool is_taken(const ConfigDraft& draft, std::string_view name) {
    return name == config::built_in_provider ||
           std::ranges::find(draft.providers, name, &Provider::name) != draft.providers.end();
}

// The provider's name in the draft, where it is added if it is not there yet.
std::string name_of(Provider provider, std::string_view wanted, ConfigDraft& draft) {
    const auto same = [&](const Provider& one) { return one.same_as(provider); };
    if (const auto known = std::ranges::find_if(draft.providers, same);
        known != draft.providers.end())
        return known->name;
    provider.name = wanted;
    for (int number = 2; is_taken(draft, provider.name); ++number)
        provider.name = fmt::format("{}-{}", wanted, number);
    draft.providers.push_back(std::move(provider));
    return draft.providers.back().name;
}

std::string_view name_for_kind(const Provider& provider) {
    return provider.kind == "openai-compatible" ? std::string_view("custom") : provider.kind;
}

// openai/* leads to openai/*: then it is the provider's name that does it. gpt-* leads to
// openai/gpt-*: then the provider must be known for such names. The provider's name, or none.
std::optional<std::string> provider_of_wildcard(const LitellmDeployment& deployment) {
    const std::string_view name = deployment.name;
    if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
        const std::string_view prefix = name.substr(0, slash);
        if (name.substr(slash + 1) == deployment.model && config::is_provider_name(prefix))
            return std::string(prefix);
        return std::nullopt;
    }
    const auto claimed = provider::catalogue_of(deployment.provider.kind).prefixes;
    const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
    if (name == deployment.model && std::ranges::any_of(claimed, begins))
        return std::string(name_for_kind(deployment.provider));
    return std::nullopt;
}

// Wildcards come first: they need names of their own.
void add_wildcard(LitellmReading& reading, const LitellmDeployment& deployment,
                  ConfigDraft& draft) {
    if (!deployment.defaults.empty() || deployment.rpm || deployment.tpm || deployment.concurrent ||
        deployment.timeout_seconds || deployment.stream_timeout_seconds)
        reading.note(deployment.at, "limits, times and request fields of a pattern have no "
                                    "counterpart; write them for single models");
    const auto wanted = provider_of_wildcard(deployment);
    if (!wanted) {
        const std::string name =
            name_of(deployment.provider, name_for_kind(deployment.provider), draft);
        reading.note(deployment.at,
                     fmt::format("such a pattern has no counterpart; ask for {}/NAME, or make a "
                                 "model or alias for each name",
                                 name));
        return;
    }
    const auto known = std::ranges::find(draft.providers, *wanted, &Provider::name);
    if (known == draft.providers.end()) {
        if (name_of(deployment.provider, *wanted, draft) != *wanted)
            reading.note(deployment.at,
                         "its provider can't have this name; rename it in providers");
        return;
    }
    Provider other = *known;
    other.keys = deployment.provider.keys;
    if (!other.same_as(deployment.provider)) {
        reading.note(deployment.at, "two providers under one pattern have no counterpart; the "
                                    "first one is kept");
    } else if (std::ranges::search(known->keys, deployment.provider.keys).empty()) {
        known->keys.insert(known->keys.end(), deployment.provider.keys.begin(),
                           deployment.provider.keys.end());
    }
}

// Whole numbers from 1 to 1000 in about these proportions, as small as they can be.
std::vector<int> whole_weights(const std::vector<double>& weights) {
    const double most = std::max(1e-9, std::ranges::max(weights));
    const bool whole = std::ranges::all_of(weights, [](double w) { return w == std::floor(w); });
    const double scale = most > weight_max ? weight_max / most : whole ? 1 : 100 / most;
    std::vector<int> numbers;
    for (const double weight : weights)
        numbers.push_back(std::max(1, static_cast<int>(std::lround(weight * scale))));
    int divisor = 0;
    for (const int number : numbers) divisor = std::gcd(divisor, number);
    for (int& number : numbers) number /= divisor;
    return numbers;
}

// By weight, else by requests or tokens a minute, if all of them say that; as LiteLLM does.
std::vector<int> weights_of(const Deployments& entries) {
    using Field = std::optional<double> LitellmDeployment::*;
    for (const Field field :
         {&LitellmDeployment::weight, &LitellmDeployment::rpm, &LitellmDeployment::tpm}) {
        std::vector<double> weights;
        for (const LitellmDeployment& entry : entries)
            if (entry.*field) weights.push_back(*(entry.*field));
        if (weights.size() == entries.size()) return whole_weights(weights);
    }
    return std::vector(entries.size(), 1);
}

// A limit of one entry has no counterpart, one of all of them has.
void add_limit(LitellmReading& reading, const Deployments& entries, std::string_view key,
               std::optional<double> LitellmDeployment::* field, ConfigDraft::Fields& limits) {
    double sum = 0;
    std::size_t count = 0;
    for (const LitellmDeployment& entry : entries) {
        if (!(entry.*field)) continue;
        sum += *(entry.*field);
        ++count;
    }
    if (count == 0) return;
    const config::Value& at = entries.front().at;
    if (count < entries.size()) {
        reading.note(at, fmt::format("{} is a limit of a model here, and not all of its entries "
                                     "say one; left out",
                                     key));
        return;
    }
    limits.emplace_back(key, fmt::format("{:.0f}", std::min(sum, 2e9)));
    if (count > 1)
        reading.note(at,
                     fmt::format("{} is a limit of the model here: the sum of its entries", key));
}

void add_time(LitellmReading& reading, const Deployments& entries, std::string_view key,
              std::optional<double> LitellmDeployment::* field, ConfigDraft::Fields& times) {
    std::optional<double> longest;
    bool differ = false;
    for (const LitellmDeployment& entry : entries) {
        differ = differ || entry.*field != entries.front().*field;
        if (entry.*field) longest = std::max(longest.value_or(0), *(entry.*field));
    }
    if (!longest) return;
    times.emplace_back(key, config_time(*longest));
    if (differ)
        reading.note(entries.front().at, fmt::format("timeouts.{} is one for all targets of a "
                                                     "model here: the longest",
                                                     key));
}

void add_defaults(LitellmReading& reading, const Deployments& entries, ConfigDraft::Model& model) {
    const auto differs = [&](const LitellmDeployment& entry) {
        return entry.defaults != entries.front().defaults;
    };
    model.defaults = entries.front().defaults;
    if (std::ranges::any_of(entries, differs))
        reading.note(entries.front().at, "request fields are the model's here, not a target's; "
                                         "those of its first entry are kept");
}

void add_target(const LitellmDeployment& entry, int weight, ConfigDraft::Model& model,
                ConfigDraft& draft) {
    const std::string provider = name_of(entry.provider, name_for_kind(entry.provider), draft);
    std::string target = fmt::format("{}/{}", provider, entry.model);
    const auto named = [&](const auto& one) { return one.first == target; };
    if (!entry.price.empty() && std::ranges::none_of(draft.prices, named))
        draft.prices.emplace_back(target, entry.price);
    if (!entry.facts.empty()) {
        auto& facts = std::ranges::find(draft.providers, provider, &Provider::name)->facts;
        if (std::ranges::find(facts, entry.model, [](const auto& one) { return one.first; }) ==
            facts.end())
            facts.emplace_back(entry.model, entry.facts);
    }
    const auto known = std::ranges::find(model.targets, target, &ConfigDraft::Target::name);
    if (known == model.targets.end())
        model.targets.push_back({std::move(target), weight});
    else
        known->weight = std::min(weight_max, known->weight + weight);
}

void add_model(LitellmReading& reading, Deployments entries, LitellmRouting routing,
               ConfigDraft& draft) {
    ConfigDraft::Model model{runnel_model_name(entries.front().name)};
    if (model.name != entries.front().name)
        reading.note(
            entries.front().at,
            fmt::format("a name can't have these characters here; ask for {}", model.name));
    const auto order_of = [](const LitellmDeployment& entry) { return entry.order.value_or(0); };
    const bool ordered = std::ranges::any_of(
        entries, [&](const auto& entry) { return order_of(entry) != order_of(entries.front()); });
    std::ranges::sort(entries, {}, [&](const LitellmDeployment& entry) {
        return std::tuple(order_of(entry), entry.at.node().line, entry.at.node().column);
    });
    const bool weighted = !ordered && routing == LitellmRouting::shuffle;
    const std::vector<int> weights =
        weighted ? weights_of(entries) : std::vector(entries.size(), 1);
    for (std::size_t i = 0; i < entries.size(); ++i)
        add_target(entries[i], weights[i], model, draft);
    if (model.targets.size() == 1) model.targets.front().weight = 1;
    if (model.targets.size() > 1 && !ordered)
        model.strategy = weighted ? "weighted" : "least-latency";
    for (ConfigDraft::Target& target : model.targets)
        if (!weighted) target.weight = 1;

    add_limit(reading, entries, "rpm", &LitellmDeployment::rpm, model.limits);
    add_limit(reading, entries, "tpm", &LitellmDeployment::tpm, model.limits);
    add_limit(reading, entries, "concurrent", &LitellmDeployment::concurrent, model.limits);
    add_time(reading, entries, "first_token", &LitellmDeployment::stream_timeout_seconds,
             model.timeouts);
    add_time(reading, entries, "total", &LitellmDeployment::timeout_seconds, model.timeouts);
    add_defaults(reading, entries, model);
    for (const LitellmDeployment& entry : entries)
        if (entry.retries && !model.retries)
            model.retries = config_retries(reading, entry.at, *entry.retries);
    draft.models.push_back(std::move(model));
}

}  // namespace

std::string runnel_model_name(std::string_view litellm_name) {
    std::string name;
    for (const char c : litellm_name) name += config::is_model_name(std::string{'x', c}) ? c : '-';
    while (!name.empty() && !config::is_model_name(name)) name.erase(0, 1);
    return name.empty() ? "model" : name;
}

std::string config_time(double seconds) {
    using std::chrono::milliseconds;
    const milliseconds time(static_cast<std::int64_t>(std::min(seconds * 1000, 1e9)));
    return config::write_duration(std::clamp(time, milliseconds(1), time_max));
}

int config_retries(LitellmReading& reading, const config::Value& at, double retries) {
    if (retries > limits::retries_max)
        reading.note(at, fmt::format("Runnel retries {} times at most", limits::retries_max));
    return static_cast<int>(std::min<double>(retries, limits::retries_max));
}

void add_litellm_models(LitellmReading& reading, Deployments deployments, LitellmRouting routing,
                        ConfigDraft& draft) {
    std::vector<Deployments> models;
    for (const LitellmDeployment& deployment : deployments) {
        if (deployment.is_wildcard()) {
            add_wildcard(reading, deployment, draft);
            continue;
        }
        const auto same_name = [&](const Deployments& entries) {
            return runnel_model_name(entries.front().name) == runnel_model_name(deployment.name);
        };
        const auto known = std::ranges::find_if(models, same_name);
        if (known == models.end())
            models.push_back({deployment});
        else
            known->push_back(deployment);
    }
    for (Deployments& entries : models) add_model(reading, std::move(entries), routing, draft);
}

}  // namespace runnel::cli
