#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"
#include "chat/operation.hpp"
#include "chat/request.hpp"
#include "router/policy.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
    unsigned weight = 1;  // in a draw; 0: never first
    ModelFacts facts{};
    // The models that lead to it where the request names them as fallbacks: it is under their
    // limits, too.
    std::vector<std::string> fallback_of{};
};

// By API: tools that are run here and that its clients are never shown.
using HiddenTools = std::map<std::string, std::vector<std::string>, std::less<>>;

// What a model name in a request stands for.
struct Route {
    std::string name;             // the model's, e.g. "fast" or "openai/gpt-5-mini"; never an alias
    std::vector<Target> targets;  // in the order they are tried; never empty
    const std::string* system = nullptr;  // the virtual model's text, or null
    const chat::Request* defaults =
        nullptr;  // what the virtual model's requests leave unsaid, or null
    const std::string* dialect = nullptr;  // the virtual model's dialect, or null
    Policy policy{};
    std::optional<std::int64_t> max_tokens{};         // more is cut down to this
    std::size_t concurrent = 0;                       // requests at a time; 0: any number
    const std::vector<std::string>* tools = nullptr;  // that are run here, by name, or null
    const HiddenTools* hidden_tools = nullptr;        // or null
    int max_tool_rounds = limits::tool_rounds;
    bool text_tool_calls = false;  // the model writes its calls into its text
    bool cached = true;            // where there is a cache
    SameModel same_model = SameModel::by_name;
    std::vector<std::string> guardrails{};  // of all virtual models that it leads to
    std::string rerouted_from{};  // the model that was asked for, where it can't stream and this
                                  // one stands in for it
    // Models that stand in for others of the request, which can't stream.
    std::vector<std::string> stand_ins{};
    std::vector<std::string> warnings{};  // for X-Gateway-Warnings, e.g. fallback_skipped
};

// A virtual model.
struct ModelEntry {
    struct Target {
        std::string name;  // provider/model
        unsigned weight = 1;
    };
    std::string name;
    std::vector<Target> targets;
    std::string system{};
    std::shared_ptr<const chat::Request> defaults{};  // what requests leave unsaid; null: nothing
    std::string dialect{};
    Policy policy{};
    enum class Streams { yes, no } streams = Streams::yes;
    std::string stream_fallback{};  // who streams for it; empty: nobody
    std::optional<std::int64_t> max_tokens{};
    std::size_t concurrent = 0;
    std::vector<std::string> tools{};  // that are run here, by name
    HiddenTools hidden_tools{};
    std::string id{};  // another name for it, which is in no list; empty: none
    int max_tool_rounds = limits::tool_rounds;
    bool text_tool_calls = false;
    bool cached = true;
    SameModel same_model = SameModel::by_name;
    std::vector<std::string> guardrails{};
};

struct ProviderEntry {
    std::string name;
    // Bare model names that belong to this provider, e.g. "gpt-", "claude-": prefixes from its
    // kind's catalogue.
    std::vector<std::string> model_prefixes{};
    // Models it is known to serve, for listing.
    std::vector<std::string> models{};
    // What a name of its models means the same without: limits, prices and lists know it so.
    std::string needless_prefix{};
    enum class Others { passed_on, refused } others = Others::passed_on;  // names not listed
    // What is known of any of its models; null: nothing of none.
    std::function<ModelFacts(std::string_view model)> facts{};
};

// Another name for a model.
struct AliasEntry {
    std::string name;
    std::string model;
};

// Model names → targets; a pure function of the config it was built from. Routes point into the
// router.
class Router {
public:
    Router(std::vector<ProviderEntry> providers, std::vector<ModelEntry> models,
           std::vector<AliasEntry> aliases, std::string default_model);

    // A name from `models` or `aliases`, `provider/model`, `@provider/model`, or a bare name that
    // one provider's catalogue claims (the first configured, where several do); an empty name is
    // the default model. However a target is written, where `models` has an entry of its name that
    // entry is what is asked.
    Result<Route> resolve(std::string_view model) const;

    // The same for a whole request. A model that can't stream has a stream served by its stand-in,
    // unless the client forbids it; the targets of the client's own fallback models come after the
    // model's; those that are known to lack what the request needs are left out.
    Result<Route> resolve(const chat::Operation& operation) const;

    // Every name that the model goes by which `model` names: as asked, its own, its id, or as
    // provider/model. None where there is no such model.
    std::vector<std::string> names_of(std::string_view model) const;
    // The one of them that is the same however it was asked for: a virtual model's, else
    // provider/model. Empty where there is no such model.
    std::string own_name_of(std::string_view model) const;
    // The same of a target.
    std::string own_name_of(const Target& target) const;
    // Whether it is a model's id rather than its name.
    bool is_model_id(std::string_view name) const;

    // What a client is told about a name.
    struct Listed {
        std::string id;
        std::string owned_by;
        ModelFacts facts{};
        std::vector<std::string> targets{};  // of a virtual model or an alias
        std::string model_id{};              // a virtual model's own; an alias has none
    };
    Result<Listed> describe(std::string_view model) const;
    // What GET /v1/models lists: virtual models and aliases first, then each provider's known
    // models as provider/model.
    std::vector<Listed> list() const;

private:
    const ModelEntry* model_named(std::string_view name) const;
    std::string_view meant_by(std::string_view name) const;
    Result<Route> route_to_model(const ModelEntry& model) const;
    Result<Route> route_for(std::string_view name, const chat::Operation& operation) const;
    Result<void> add_fallbacks(const chat::Operation& operation, Route& route) const;
    std::vector<Target> targets_of(const ModelEntry& model) const;
    Result<Target> target_named(std::string_view name) const;
    Target make_target(std::size_t provider, std::string_view model,
                       std::string_view public_name) const;
    std::vector<std::string> own_names() const;
    const ProviderEntry* closed_provider_of(std::string_view name) const;
    Error not_found(std::string_view name) const;
    std::vector<std::string> names_near(std::string_view path) const;

    std::vector<ProviderEntry> providers_;
    std::vector<ModelEntry> models_;
    std::vector<std::vector<Target>> model_targets_;  // of each of them
    std::vector<AliasEntry> aliases_;
    std::string default_model_;
    std::unordered_map<std::string, std::size_t> provider_by_name_;
    std::unordered_map<std::string, std::size_t> model_by_name_;
    std::unordered_map<std::string, std::size_t> alias_by_name_;
};

}  // namespace runnel::router
