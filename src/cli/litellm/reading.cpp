#include "cli/litellm/reading.hpp"

#include "base/ascii.hpp"
#include "config/yaml/json_value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::cli {
namespace {

using config::Node;
using config::Value;

constexpr std::string_view environment_mark = "os.environ/";
constexpr double number_max = 1e12;

// The variable's name; empty for other text.
std::string_view environment_name(std::string_view text) {
    return text.starts_with(environment_mark) ? text.substr(environment_mark.size())
                                              : std::string_view();
}

bool is_variable_name(std::string_view name) {
    const auto fits = [](char c) { return ascii::is_alphanumeric(c) || c == '_'; };
    return !name.empty() && std::ranges::all_of(name, fits) && !ascii::is_digit(name[0]);
}

std::string without_variables(std::string_view text) {
    std::string out;
    while (true) {
        const std::size_t at = text.find("${");
        if (at == std::string_view::npos) return out.append(text);
        out.append(text, 0, at).append("$${");
        text.remove_prefix(at + 2);
    }
}

bool has_key(const Node& map, std::string_view key) {
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2)
        if (map.children[i].text == key) return true;
    return false;
}

// The map's own keys win over merged ones, and those of an earlier map over those of a later one.
void merge(Node& map) {
    std::vector<Node> merged;
    for (std::size_t i = 0; i + 1 < map.children.size();) {
        if (map.children[i].text != "<<" || map.children[i].style != Node::Style::plain) {
            i += 2;
            continue;
        }
        merged.push_back(std::move(map.children[i + 1]));
        map.children.erase(map.children.begin() + static_cast<std::ptrdiff_t>(i),
                           map.children.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    }
    for (const Node& from : merged) {
        const bool several = from.kind == Node::Kind::list;
        const std::span<const Node> maps =
            several ? std::span<const Node>(from.children) : std::span(&from, 1);
        for (const Node& other : maps) {
            if (other.kind != Node::Kind::map) continue;
            for (std::size_t i = 0; i + 1 < other.children.size(); i += 2) {
                if (has_key(map, other.children[i].text)) continue;
                map.children.push_back(other.children[i]);
                map.children.push_back(other.children[i + 1]);
            }
        }
    }
}

}  // namespace

std::string Variables::reference(std::string_view name, std::string_view sample) {
    const auto known = std::ranges::find(used_, name, [](const auto& one) { return one.first; });
    if (known == used_.end()) used_.emplace_back(name, sample);
    std::ranges::sort(used_);
    return fmt::format("${{{}}}", name);
}

std::string Variables::name_for(std::string_view secret, std::string_view usual_name) {
    const auto known =
        std::ranges::find(secrets_, secret, [](const auto& one) { return one.first; });
    if (known != secrets_.end()) return known->second;
    std::string name(usual_name);
    for (int number = 2; taken_.contains(name); ++number)
        name = fmt::format("{}_{}", usual_name, number);
    taken_.insert(name);
    secrets_.emplace_back(secret, name);
    return name;
}

void LitellmReading::note(const Value& at, std::string_view message) {
    std::string text = fmt::format("{}: {}", at.path(), message);
    // A note is one line, and a comment in the new file, whatever a key has in it.
    std::ranges::replace_if(text, [](char c) { return c >= 0 && c < ' '; }, ' ');
    notes.push_back({at.node().line, at.node().column, std::move(text)});
}

void prepare_litellm_tree(Node& tree) {
    for (Node& child : tree.children) prepare_litellm_tree(child);
    if (tree.kind == Node::Kind::map) merge(tree);
    if (tree.kind == Node::Kind::scalar) tree.text = without_variables(tree.text);
}

std::set<std::string, std::less<>> environment_names_in(const Node& tree) {
    std::set<std::string, std::less<>> names;
    if (const auto name = environment_name(tree.text); !name.empty()) names.emplace(name);
    for (const Node& child : tree.children) names.merge(environment_names_in(child));
    return names;
}

std::vector<config::Entry> entries_with_values(const Value& map) {
    auto entries = map.entries();
    std::erase_if(entries, [](const config::Entry& entry) {
        return entry.value.node().kind == Node::Kind::null;
    });
    return entries;
}

const Value* find_entry(const std::vector<config::Entry>& entries, std::string_view key) {
    const auto found = std::ranges::find(entries, key, &config::Entry::key);
    return found == entries.end() ? nullptr : &found->value;
}

std::optional<std::string> read_litellm_text(LitellmReading& reading, const Value& value,
                                             std::string_view sample) {
    if (!value.text()) return std::nullopt;
    const std::string& text = value.node().text;
    if (!text.starts_with(environment_mark)) return text;
    if (!is_variable_name(environment_name(text))) {
        value.refuse("the name of a variable behind os.environ/");
        return std::nullopt;
    }
    return reading.variables.reference(environment_name(text), sample);
}

std::optional<std::string> read_litellm_secret(LitellmReading& reading, const Value& value,
                                               std::string_view usual_name,
                                               std::string_view sample) {
    auto text = read_litellm_text(reading, value, sample);
    if (!text || text->empty() || value.node().text.starts_with(environment_mark)) return text;
    const std::string name = reading.variables.name_for(*text, usual_name);
    reading.note(value, fmt::format("a secret in the file is not copied; set the environment "
                                    "variable {} to it",
                                    name));
    return reading.variables.reference(name, sample);
}

std::optional<double> read_litellm_number(LitellmReading& reading, const Value& value) {
    if (value.node().text.starts_with(environment_mark)) {
        reading.note(value, "a number can't come from a variable here; write it yourself");
        return std::nullopt;
    }
    return value.number(0, number_max);
}

std::string litellm_value_as_yaml(const Value& value) {
    return without_variables(config::json_of(value));
}

}  // namespace runnel::cli
