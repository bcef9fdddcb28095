#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace runnel::policy {

// One rule of the config about what may not be said.
struct GuardrailRule {
    enum class Action { block, redact, decline, log };
    // Whom it is for: every request, or those that ask for it (by name or kind).
    enum class When { always, asked };

    std::string name;
    std::string kind{};                   // pii, content_moderation or custom
    std::vector<std::string> pii{};       // email, phone, card, iban, secret
    std::vector<std::string> patterns{};  // regular expressions
    std::vector<std::string> words{};     // found as whole words, in any case
    std::string check_url{};              // somebody else who looks at the text
    std::chrono::milliseconds check_timeout{2000};
    Action action = Action::block;
    When when = When::always;
    // What it looks at.
    bool on_input = true;
    bool on_output = true;
    bool on_reasoning = true;
    bool on_tool_arguments = true;
};

}  // namespace runnel::policy
