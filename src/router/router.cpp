#include "router/router.hpp"

#include "base/nearest.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::router {
namespace {

constexpr std::string_view own_name = "runnel";  // who owns a virtual model, in the list
constexpr std::size_t quoted_bytes = 128;        // of a client's name, in a message
constexpr std::size_t suggestions_max = 3;

const std::string* non_empty(const std::string& text) { return text.empty() ? nullptr : &text; }

bool claims(const ProviderEntry& provider, std::string_view model) {
    const auto begins = [&](const std::string& prefix) { return model.starts_with(prefix); };
    return std::ranges::find(provider.models, model) != provider.models.end() ||
           std::ranges::any_of(provider.model_prefixes, begins);
}

}  // namespace

Router::Router(std::vector<ProviderEntry> providers, std::vector<ModelEntry> models,
               std::string default_model)
    : providers_(std::move(providers)),
      models_(std::move(models)),
      default_model_(std::move(default_model)) {
    for (std::size_t i = 0; i < providers_.size(); ++i)
        provider_by_name_.emplace(providers_[i].name, i);
    for (std::size_t i = 0; i < models_.size(); ++i) model_by_name_.emplace(models_[i].name, i);
}

Result<Route> Router::resolve(std::string_view model) const {
    if (model.empty()) model = default_model_;
    if (model.empty())
        return fail_at(ErrorKind::missing_required_field, "model",
                       "model is missing, and no default model is configured");
    if (const auto found = model_by_name_.find(std::string(model)); found != model_by_name_.end())
        return route_to_model(models_[found->second]);
    auto target = target_named(model);
    if (!target) return propagate(target);
    Route route{target->public_name, {}};
    route.targets.push_back(std::move(*target));
    return route;
}

Result<Route> Router::route_to_model(const ModelEntry& model) const {
    Route route{model.name, {}};
    for (const std::string& name : model.targets)
        if (auto target = target_named(name)) route.targets.push_back(std::move(*target));
    // The config is checked for this; a router may be built from elsewhere.
    if (route.targets.empty())
        return fail_at(ErrorKind::model_unavailable, "model",
                       fmt::format("the model '{}' has no target that is configured", model.name));
    route.system = non_empty(model.system);
    route.defaults_json = non_empty(model.defaults_json);
    route.dialect = non_empty(model.dialect);
    return route;
}

Result<Target> Router::target_named(std::string_view name) const {
    const bool tagged = name.starts_with('@');
    const std::string_view path = tagged ? name.substr(1) : name;
    // The first slash ends the provider's name: those behind it belong to the model.
    if (const std::size_t slash = path.find('/'); slash != std::string_view::npos) {
        const auto found = provider_by_name_.find(std::string(path.substr(0, slash)));
        const std::string_view model = path.substr(slash + 1);
        if (found != provider_by_name_.end() && !model.empty())
            return Target{found->second, std::string(model), std::string(path)};
    }
    // Also with a slash in it: some catalogues have names like "meta-llama/llama-4".
    if (!tagged)
        for (std::size_t i = 0; i < providers_.size(); ++i)
            if (claims(providers_[i], name)) return Target{i, std::string(name), std::string(name)};
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

    std::vector<std::string> known;
    for (const Listed& listed : list()) known.push_back(listed.id);
    for (const ProviderEntry& provider : providers_)
        known.insert(known.end(), provider.models.begin(), provider.models.end());
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    const auto near = nearest_names(path, candidates, suggestions_max);
    return {near.begin(), near.end()};
}

Error Router::not_found(std::string_view name) const {
    std::string message =
        fmt::format("the model '{}' does not exist", utf8_prefix(name, quoted_bytes));
    if (name.size() <= quoted_bytes) {
        const auto near = names_near(name.substr(name.starts_with('@') ? 1 : 0));
        if (!near.empty())
            message += fmt::format("; did you mean '{}'?", fmt::join(near, "' or '"));
    }
    if (!providers_.empty()) {
        std::vector<std::string_view> names;
        for (const ProviderEntry& provider : providers_) names.push_back(provider.name);
        message +=
            fmt::format(" (any model of a provider can be named as provider/model; providers: {})",
                        fmt::join(names, ", "));
    }
    return Error{ErrorKind::model_not_found, std::move(message), "model"};
}

std::vector<Router::Listed> Router::list() const {
    std::vector<Listed> listed;
    for (const ModelEntry& model : models_) listed.push_back({model.name, std::string(own_name)});
    for (const ProviderEntry& provider : providers_)
        for (const std::string& model : provider.models)
            listed.push_back({fmt::format("{}/{}", provider.name, model), provider.name});
    return listed;
}

}  // namespace runnel::router
