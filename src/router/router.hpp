#pragma once

#include "base/result.hpp"
#include "router/policy.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace runnel::router {

// One place that can answer: a provider (by its position in the table the router was built from)
// and that provider's own name for the model.
struct Target {
    std::size_t provider = 0;
    std::string model;
    // What the answer shows when this target served: a name that a client can ask for to get it
    // again, in the client's own spelling where it asked for this target itself ("gpt-5-mini"),
    // else as "openai/gpt-5-mini".
    std::string public_name;
    unsigned weight = 1;
    ModelFacts facts{};
};

// What a model name in a request stands for.
struct Route {
    std::string name;  // the public name that was asked for, e.g. "fast" or "openai/gpt-5-mini"
    std::vector<Target> targets;                 // in the order they are tried; never empty
    const std::string* system = nullptr;         // the virtual model's text, or null
    const std::string* defaults_json = nullptr;  // the virtual model's default fields, or null
    const std::string* dialect = nullptr;        // the virtual model's dialect, or null
    Policy policy{};
    std::optional<std::int64_t> max_tokens{};  // more is cut down to this
    std::string rerouted_from{};  // the model that was asked for, where it can't stream and this
                                  // one stands in for it
};

struct ModelEntry {
    std::string name;
    std::vector<std::string> targets;
    std::string system;
    std::string defaults_json;
    std::string dialect;
};

struct ProviderEntry {
    std::string name;
    // Bare model names that belong to this provider, e.g. "gpt-", "claude-": prefixes from its
    // kind's catalogue.
    std::vector<std::string> model_prefixes;
    // Models it is known to serve, for listing; any other name is passed on too.
    std::vector<std::string> models;
};

// Model names → targets; a pure function of the config it was built from. Routes point into the
// router.
class Router {
public:
    Router(std::vector<ProviderEntry> providers, std::vector<ModelEntry> models,
           std::string default_model);

    // A name from `models`, `provider/model`, `@provider/model`, or a bare name that one provider's
    // catalogue claims (the first configured, where several do); an empty name is the default
    // model.
    Result<Route> resolve(std::string_view model) const;

    // What GET /v1/models lists: virtual models first, then each provider's known models as
    // provider/model.
    struct Listed {
        std::string id;
        std::string owned_by;
    };
    std::vector<Listed> list() const;

private:
    Result<Route> route_to_model(const ModelEntry& model) const;
    Result<Target> target_named(std::string_view name) const;
    Error not_found(std::string_view name) const;
    std::vector<std::string> names_near(std::string_view path) const;

    std::vector<ProviderEntry> providers_;
    std::vector<ModelEntry> models_;
    std::string default_model_;
    std::unordered_map<std::string, std::size_t> provider_by_name_;
    std::unordered_map<std::string, std::size_t> model_by_name_;
};

}  // namespace runnel::router
