#include "base/is_in.hpp"
#include "base/nearest.hpp"
#include "config/sections/model.hpp"
#include "config/sections/sections.hpp"
#include "config/sections/target.hpp"
#include "config/sections/tool.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::config {
namespace {

std::vector<Entry> entries_of(const Section& file, std::string_view key) {
    const Value* value = file.find(key);
    return value ? value->entries() : std::vector<Entry>();
}

// Everything that a request's `model` can be in this file. A view.
struct KnownNames {
    const KnownProviders* providers;
    std::vector<std::string_view> models{};
    std::vector<std::string_view> aliases{};

    std::string near(std::string_view written) const {
        std::vector<std::string_view> all = models;
        all.insert(all.end(), aliases.begin(), aliases.end());
        return did_you_mean(written, all);
    }
};

// A name that a request could ask for too.
std::optional<std::string> read_model_name(const Value& value, const KnownNames& names) {
    auto name = value.text();
    if (!name || is_in(*name, names.models) || is_in(*name, names.aliases)) return name;
    const std::optional<bool> claimed = names.providers->claim(*name);
    if (claimed == true) return name;
    if (name->contains('/')) return read_target(value, *names.providers);
    if (claimed == false)
        value.refuse("one of the models, or provider/model", names.near(value.node().text));
    return std::nullopt;
}

// What an alias stands for; any other name stands for itself.
std::string_view meant_by(std::string_view name, const Config& config) {
    const auto alias =
        std::ranges::find(config.aliases, name, [](const auto& a) -> auto& { return a.first; });
    return alias == config.aliases.end() ? name : std::string_view(alias->second);
}

void read_alias(const Entry& entry, const KnownNames& names, Config& config) {
    check_model_name(entry);
    if (is_in(entry.key, names.models))
        entry.name.complain("a model has this name already; an alias needs one of its own");
    auto name = read_model_name(entry.value, names);
    if (!name) return;
    if (is_in(*name, names.aliases))
        entry.value.complain(
            fmt::format("'{}' is an alias too; write what it stands for", entry.value.node().text));
    config.aliases.emplace_back(entry.key, std::move(*name));
}

void read_stream_fallback(WrittenModel& written, const KnownNames& names,
                          std::span<const WrittenModel> models, const Config& config) {
    const Value& value = *written.stream_fallback;
    auto name = read_model_name(value, names);
    if (!name) return;
    const std::string_view meant = meant_by(*name, config);
    const auto other = std::ranges::find(
        models, meant, [](const WrittenModel& model) -> auto& { return model.model.name; });
    if (meant == written.model.name) {
        value.complain("a model cannot stand in for itself; name one that can stream");
    } else if (other != models.end() && other->model.streams == Model::Streams::no) {
        value.complain(
            fmt::format("'{}' has streaming: false too; name a model that can stream", *name));
    }
    written.model.stream_fallback = std::move(*name);
}

// An id is one more name, and no two models have the same.
void check_ids(std::span<const WrittenModel> models, const KnownNames& names) {
    std::vector<std::string_view> seen = names.models;
    seen.insert(seen.end(), names.aliases.begin(), names.aliases.end());
    for (const WrittenModel& model : models) {
        if (!model.id) continue;
        if (is_in(model.model.id, seen))
            model.id->complain("another model has this id or name; each needs one of its own");
        seen.push_back(model.model.id);
    }
}

}  // namespace

void read_routes(const Section& file, Config& config) {
    const auto providers = entries_of(file, "providers");
    const auto models = entries_of(file, "models");
    const auto aliases = entries_of(file, "aliases");
    for (const Entry& entry : providers)
        if (auto provider = read_provider(entry)) config.providers.push_back(std::move(*provider));

    const auto tools = entries_of(file, "tools");
    for (const Entry& entry : tools)
        if (auto tool = read_tool(entry)) config.tools.push_back(std::move(*tool));

    const KnownTools known_tools(tools);
    const KnownGuardrails known_guardrails(file.find("guardrails"));
    const KnownProviders known(providers, config.providers);
    KnownNames names{&known};
    for (const Entry& entry : models) names.models.push_back(entry.key);
    for (const Entry& entry : aliases) names.aliases.push_back(entry.key);

    std::vector<WrittenModel> written;
    for (const Entry& entry : models)
        if (auto model = read_model(entry, known, known_tools, known_guardrails))
            written.push_back(std::move(*model));
    for (const Entry& entry : aliases) read_alias(entry, names, config);
    for (WrittenModel& model : written)
        if (model.stream_fallback) read_stream_fallback(model, names, written, config);
    check_ids(written, names);
    for (WrittenModel& model : written) {
        metering::SharedLimits& limits = config.access.limits;
        if (model.rates != access::RateLimits{})
            limits.model_limits.emplace_back(model.model.name, model.rates);
        if (model.budget) limits.model_budgets.emplace_back(model.model.name, *model.budget);
        config.models.push_back(std::move(model.model));
    }
    add_built_in_tools(tools, config);
    const auto auth = [&](const Value& value) { return read_auth(value, known_tools); };
    file.read("auth", auth, config.access.auth);

    const auto model_name = [&](const Value& value) { return read_model_name(value, names); };
    file.read("default_model", model_name, config.default_model);
}

}  // namespace runnel::config
