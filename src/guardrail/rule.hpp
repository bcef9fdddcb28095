#pragma once

#include "base/limits.hpp"
#include "base/secret.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::guardrail {

// One rule of the config about what may not be said.
struct GuardrailRule {
    enum class Kind { pii, content_moderation, custom };
    // What happens where it finds something. An answer that is being told can't be declined any
    // more: there `decline` cuts it off, as `block` does.
    enum class Action { block, redact, decline, log };
    // Whom it is for: every request, or those that ask for it (by name or kind).
    enum class When { always, asked };

    // Whom it asks about the text (check.hpp).
    struct Check {
        std::string address;
        std::chrono::milliseconds timeout{limits::guardrail_check_time};
        std::vector<std::pair<std::string, Secret>> headers{};
        std::string key = "url";  // of the check
    };

    std::string name;
    Kind kind = Kind::custom;
    // What it looks for: by a detector's key (registry.hpp), what the detector is to find.
    std::map<std::string, std::vector<std::string>, std::less<>> detect{};
    std::optional<Check> check{};
    Action action = Action::block;
    When when = When::always;
    // What it looks at.
    bool on_input = true;
    bool on_output = true;
    bool on_reasoning = true;
    bool on_tool_arguments = true;
    // How much of a stream may wait for a pattern to make up its mind.
    std::size_t hold_characters = limits::guardrail_hold_characters;
};

// As they are written in configs and requests.
std::string_view name_of(GuardrailRule::Kind kind);
std::string_view name_of(GuardrailRule::Action action);
std::optional<GuardrailRule::Kind> guardrail_kind_named(std::string_view name);
std::optional<GuardrailRule::Action> guardrail_action_named(std::string_view name);

// The rules' own names; views into them.
std::vector<std::string_view> names_of(std::span<const GuardrailRule> rules);

}  // namespace runnel::guardrail
