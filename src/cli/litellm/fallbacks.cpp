#include "cli/litellm/fallbacks.hpp"

#include "base/limits.hpp"
#include "cli/litellm/models.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::cli {
namespace {

using config::Entry;
using config::Node;
using config::Value;

constexpr std::string_view any_model = "*";

bool can_be_asked(const ConfigDraft& draft, std::string_view name) {
    if (draft.has_model(name)) return true;
    const std::size_t slash = name.find('/');
    return slash != std::string_view::npos &&
           std::ranges::find(draft.providers, name.substr(0, slash),
                             &ConfigDraft::Provider::name) != draft.providers.end();
}

// The models of a list that there are.
std::vector<std::string> names_in(LitellmReading& reading, const Value& list,
                                  const ConfigDraft& draft) {
    std::vector<std::string> names;
    for (const Value& item : list.list()) {
        const std::string name = runnel_model_name(item.node().text);
        if (item.node().kind != Node::Kind::scalar)
            reading.note(item, "only names of models can be carried over; left out");
        else if (!can_be_asked(draft, name))
            reading.note(item, fmt::format("no model {} was carried over; left out", name));
        else if (names.size() == limits::fallback_models)
            reading.note(item, "Runnel takes 8 fallbacks at most; left out");
        else
            names.push_back(name);
    }
    return names;
}

void set_fallback(ConfigDraft::Model& model, const std::vector<std::string>& names) {
    if (!model.fallback.empty()) return;
    std::ranges::copy_if(names, std::back_inserter(model.fallback),
                         [&](const std::string& name) { return name != model.name; });
}

}  // namespace

bool read_litellm_fallbacks(LitellmReading& reading, const Entry& entry, ConfigDraft& draft) {
    if (entry.key == "context_window_fallbacks" || entry.key == "content_policy_fallbacks") {
        reading.note(entry.name, "fallbacks are for every failure here; name them in fallbacks, or "
                                 "in a request's fallback");
        return true;
    }
    if (entry.key == "default_fallbacks") return true;
    if (entry.key != "fallbacks") return false;
    for (const Value& item : entry.value.list()) {
        for (const Entry& rule : entries_with_values(item)) {
            if (rule.key == any_model) continue;
            const std::string name = runnel_model_name(rule.key);
            const auto model = std::ranges::find(draft.models, name, &ConfigDraft::Model::name);
            if (model == draft.models.end())
                reading.note(rule.name, "no such model was carried over; left out");
            else
                set_fallback(*model, names_in(reading, rule.value, draft));
        }
    }
    return true;
}

void read_litellm_default_fallbacks(LitellmReading& reading, const Value& section,
                                    ConfigDraft& draft) {
    std::vector<std::string> names;
    for (const Entry& entry : entries_with_values(section)) {
        if (entry.key == "default_fallbacks") names = names_in(reading, entry.value, draft);
        if (entry.key != "fallbacks") continue;
        for (const Value& item : entry.value.list())
            for (const Entry& rule : entries_with_values(item))
                if (rule.key == any_model) names = names_in(reading, rule.value, draft);
    }
    for (ConfigDraft::Model& model : draft.models) set_fallback(model, names);
}

bool read_litellm_alias(LitellmReading& reading, const Entry& entry, ConfigDraft& draft) {
    if (entry.key != "model_group_alias") return false;
    for (const Entry& alias : entries_with_values(entry.value)) {
        const std::string name = runnel_model_name(alias.key);
        std::string meant = alias.value.node().text;
        if (alias.value.node().kind == Node::Kind::map)
            for (const Entry& field : entries_with_values(alias.value))
                if (field.key == "model") meant = field.value.node().text;
        meant = runnel_model_name(meant);
        if (draft.has_model(name))
            reading.note(alias.name, "a model has this name, which wins here; left out");
        else if (!can_be_asked(draft, meant))
            reading.note(alias.name, fmt::format("no model {} was carried over; left out", meant));
        else
            draft.aliases.emplace_back(name, meant);
    }
    return true;
}

}  // namespace runnel::cli
