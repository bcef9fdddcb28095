#include "guardrail/rule.hpp"

#include <algorithm>
#include <array>

namespace runnel::guardrail {
namespace {

using Rule = GuardrailRule;

template <class Enum>
struct Named {
    Enum value;
    std::string_view name;
};

constexpr std::array kinds{Named{Rule::Kind::pii, "pii"},
                           Named{Rule::Kind::content_moderation, "content_moderation"},
                           Named{Rule::Kind::custom, "custom"}};
constexpr std::array actions{
    Named{Rule::Action::block, "block"}, Named{Rule::Action::redact, "redact"},
    Named{Rule::Action::decline, "decline"}, Named{Rule::Action::log, "log"}};

template <class Table, class Enum>
std::string_view name_in(const Table& table, Enum value) {
    return std::ranges::find_if(table, [&](const auto& row) { return row.value == value; })->name;
}

template <class Table>
auto value_in(const Table& table, std::string_view name) {
    const auto found =
        std::ranges::find_if(table, [&](const auto& row) { return row.name == name; });
    return found == table.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace

std::string_view name_of(Rule::Kind kind) { return name_in(kinds, kind); }
std::string_view name_of(Rule::Action action) { return name_in(actions, action); }

std::optional<Rule::Kind> guardrail_kind_named(std::string_view name) {
    return value_in(kinds, name);
}
std::optional<Rule::Action> guardrail_action_named(std::string_view name) {
    return value_in(actions, name);
}

std::vector<std::string_view> names_of(std::span<const Rule> rules) {
    std::vector<std::string_view> names;
    for (const Rule& rule : rules) names.push_back(rule.name);
    return names;
}

}  // namespace runnel::guardrail
