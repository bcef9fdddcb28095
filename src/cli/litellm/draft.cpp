#include "cli/litellm/draft.hpp"

#include "base/ascii.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace runnel::cli {
namespace {

bool is_plain(char c) { return ascii::is_alphanumeric(c) || std::string_view("._/-").contains(c); }

using Out = std::back_insert_iterator<std::string>;

void write_provider(const ConfigDraft::Provider& provider, Out out) {
    fmt::format_to(out, "  {}:\n    kind: {}\n", yaml_text(provider.name), provider.kind);
    if (!provider.base_url.empty())
        fmt::format_to(out, "    base_url: {}\n", yaml_text(provider.base_url));
    if (provider.keys.size() == 1)
        fmt::format_to(out, "    api_key: {}\n", yaml_text(provider.keys.front()));
    if (provider.keys.size() > 1) fmt::format_to(out, "    keys:\n");
    if (provider.keys.size() > 1)
        for (const std::string& key : provider.keys)
            fmt::format_to(out, "      - {}\n", yaml_text(key));
    if (!provider.api_version.empty())
        fmt::format_to(out, "    api_version: {}\n", yaml_text(provider.api_version));
    if (!provider.headers.empty()) fmt::format_to(out, "    headers:\n");
    for (const auto& [name, value] : provider.headers)
        fmt::format_to(out, "      {}: {}\n", yaml_text(name), yaml_text(value));
    if (!provider.facts.empty()) fmt::format_to(out, "    models:\n");
    for (const auto& [model, facts] : provider.facts)
        fmt::format_to(out, "      {}: {}\n", yaml_text(model), yaml_map(facts));
}

void write_model(const ConfigDraft::Model& model, Out out) {
    fmt::format_to(out, "  {}:\n", yaml_text(model.name));
    if (!model.strategy.empty()) fmt::format_to(out, "    strategy: {}\n", model.strategy);
    fmt::format_to(out, "    targets:\n");
    for (const ConfigDraft::Target& target : model.targets) {
        if (target.weight == 1)
            fmt::format_to(out, "      - {}\n", yaml_text(target.name));
        else
            fmt::format_to(out, "      - {{target: {}, weight: {}}}\n", yaml_text(target.name),
                           target.weight);
    }
    if (model.retries) fmt::format_to(out, "    retries: {}\n", *model.retries);
    if (!model.timeouts.empty())
        fmt::format_to(out, "    timeouts: {}\n", yaml_map(model.timeouts));
    if (!model.limits.empty()) fmt::format_to(out, "    limits: {}\n", yaml_map(model.limits));
    ConfigDraft::Fields defaults = model.defaults;
    if (!model.fallback.empty()) {
        std::vector<std::string> names;
        for (const std::string& name : model.fallback) names.push_back(yaml_text(name));
        defaults.emplace_back("fallback", fmt::format("[{}]", fmt::join(names, ", ")));
    }
    if (!defaults.empty()) fmt::format_to(out, "    defaults: {}\n", yaml_map(defaults));
}

void write_policy(const ConfigDraft& draft, Out out) {
    ConfigDraft::Fields fields;
    if (draft.retries) fields.emplace_back("retries", fmt::format("{}", *draft.retries));
    if (!draft.policy_timeouts.empty())
        fields.emplace_back("timeouts", yaml_map(draft.policy_timeouts));
    if (!fields.empty()) fmt::format_to(out, "policy: {}\n", yaml_map(fields));
}

}  // namespace

bool ConfigDraft::Provider::same_as(const Provider& other) const {
    return kind == other.kind && base_url == other.base_url && keys == other.keys &&
           api_version == other.api_version && headers == other.headers;
}

bool ConfigDraft::has_model(std::string_view name) const {
    return std::ranges::find(models, name, &Model::name) != models.end();
}

void ConfigDraft::set(std::string_view key, std::string value) {
    const auto named = std::ranges::find(others, key, [](const auto& one) { return one.first; });
    if (named == others.end()) others.emplace_back(key, std::move(value));
}

std::string yaml_text(std::string_view text) {
    const bool is_null = text == "null" || text == "Null" || text == "NULL";
    if (!text.empty() && !is_null && text.front() != '-' && std::ranges::all_of(text, is_plain))
        return std::string(text);
    std::string quoted;
    json::Writer(quoted).string(text);
    return quoted;
}

std::string yaml_map(const ConfigDraft::Fields& fields) {
    std::vector<std::string> written;
    for (const auto& [name, value] : fields)
        written.push_back(fmt::format("{}: {}", yaml_text(name), value));
    return fmt::format("{{{}}}", fmt::join(written, ", "));
}

std::string write_draft(const ConfigDraft& draft) {
    std::string text;
    Out out(text);
    if (!draft.providers.empty()) text += "providers:\n";
    for (const ConfigDraft::Provider& provider : draft.providers) write_provider(provider, out);
    if (!draft.models.empty()) text += "models:\n";
    for (const ConfigDraft::Model& model : draft.models) write_model(model, out);
    if (!draft.aliases.empty()) text += "aliases:\n";
    for (const auto& [name, model] : draft.aliases)
        fmt::format_to(out, "  {}: {}\n", yaml_text(name), yaml_text(model));
    if (!draft.prices.empty()) text += "prices:\n";
    for (const auto& [model, price] : draft.prices)
        fmt::format_to(out, "  {}: {}\n", yaml_text(model), yaml_map(price));
    write_policy(draft, out);
    for (const auto& [key, value] : draft.others) fmt::format_to(out, "{}: {}\n", key, value);
    return text;
}

}  // namespace runnel::cli
