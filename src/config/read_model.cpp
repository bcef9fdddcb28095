#include "config/read_model.hpp"

#include "base/nearest.hpp"
#include "config/json_value.hpp"
#include "config/names.hpp"
#include "dialect/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_model[] = {"targets", "strategy", "system", "defaults",
                                              "dialect"};
constexpr std::string_view strategies[] = {"failover"};
constexpr std::string_view later_strategies[] = {"weighted", "least-latency"};
constexpr std::string_view later_dialects[] = {"timeline", "agent", "agent-raw"};

// What each request says for itself.
constexpr std::string_view never_defaults[] = {"model", "messages", "stream"};

bool is_in(std::string_view text, std::span<const std::string_view> names) {
    return std::ranges::find(names, text) != names.end();
}

// One of the names; those of `later` are known, but not to this version.
std::optional<std::string> one_of_now(const Value& value, std::span<const std::string_view> names,
                                      std::span<const std::string_view> later) {
    if (value.node().kind == Node::Kind::scalar && is_in(value.node().text, later) &&
        !is_in(value.node().text, names)) {
        value.complain(fmt::format("'{}' is not supported yet; there is {}", value.node().text,
                                   fmt::join(names, ", ")));
        return std::nullopt;
    }
    return value.one_of(names);
}

std::vector<Target> read_targets(const Entry& entry, const Value* written,
                                 std::span<const std::string_view> providers) {
    std::vector<Target> targets;
    const std::size_t problems = entry.name.problem_count();
    if (written)
        for (const Value& target : written->list())
            if (auto read = read_target(target, providers)) targets.push_back({std::move(*read)});
    if (targets.empty() && entry.name.problem_count() == problems)
        (written ? *written : entry.name)
            .complain("a model needs targets, such as targets: [openai/gpt-5-mini]");
    return targets;
}

std::string read_defaults(const Value& value) {
    const auto entries = value.entries();
    for (const Entry& entry : entries)
        if (is_in(entry.key, never_defaults))
            entry.name.complain("each request says this for itself; it cannot have a default");
    return entries.empty() ? std::string() : json_of(value);
}

}  // namespace

std::optional<std::string> read_dialect(const Value& value) {
    return one_of_now(value, dialect::names(), later_dialects);
}

std::optional<std::string> read_target(const Value& value,
                                       std::span<const std::string_view> providers) {
    auto target = value.text();
    if (!target) return std::nullopt;
    if (target->starts_with('@')) target->erase(0, 1);
    const std::size_t slash = target->find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == target->size()) {
        value.refuse("provider/model, such as openai/gpt-5-mini");
        return std::nullopt;
    }
    if (is_in(std::string_view(*target).substr(0, slash), providers)) return target;
    // As it is written, not as a variable filled it in.
    std::string_view provider = value.node().text;
    provider = provider.substr(provider.starts_with('@') ? 1 : 0);
    provider = provider.substr(0, provider.find('/'));
    std::string help = did_you_mean(provider, providers);
    if (help.empty()) help = fmt::format("; there is {}", fmt::join(providers, ", "));
    value.complain(fmt::format("no provider is named '{}'{}", provider, help));
    return std::nullopt;
}

std::optional<Model> read_model(const Entry& entry, std::span<const std::string_view> providers) {
    const std::size_t problems = entry.name.problem_count();
    if (!is_model_name(entry.key))
        entry.name.complain("a model's name begins with a letter or digit and has only those and "
                            "'.', '_', '-', ':', "
                            "'/', '+', '@'");
    const auto section = entry.value.section(keys_of_model);
    if (!section) return std::nullopt;
    Model model;
    model.name = entry.key;
    model.targets = read_targets(entry, section->find("targets"), providers);
    if (const Value* strategy = section->find("strategy"))
        one_of_now(*strategy, strategies, later_strategies);
    section->read("system", &Value::text, model.system);
    section->read("dialect", read_dialect, model.dialect);
    if (const Value* defaults = section->find("defaults"))
        model.defaults_json = read_defaults(*defaults);
    if (entry.name.problem_count() > problems) return std::nullopt;
    return model;
}

}  // namespace runnel::config
