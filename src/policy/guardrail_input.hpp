#pragma once

#include "chat/request.hpp"
#include "policy/guardrail_findings.hpp"
#include "policy/guardrail_set.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace runnel::policy {

// What becomes of a request, as far as rules can tell that look at it here.
struct InputScan {
    enum class Outcome {
        pass,
        block,    // `error` is the client's answer; nobody else is asked
        decline,  // the model is asked to refuse: decline()
        redact,   // `body` is the request to read instead
    } outcome = Outcome::pass;
    Error error{};
    std::string body{};
    GuardrailFindings findings{};
};

// Looks at all that is said in the request: messages, what tools have answered, and what the model
// has called them with. Not at tool definitions, nor at what the gateway adds itself.
Result<InputScan> scan_input(const GuardrailSet& set, GuardrailBits rules,
                             GuardrailWorkspace* workspace, const chat::Request& request);

// What a tool of the gateway's own has answered: what the model is told in its place, if it may not
// be told that.
Result<std::optional<std::string>> scan_result(const GuardrailSet& set, GuardrailBits rules,
                                               GuardrailWorkspace* workspace, std::string_view text,
                                               GuardrailFindings* findings);

// What the model is told in place of a result that it may not see.
inline constexpr std::string_view result_withheld =
    "(The result was withheld: it has something in it that may not be passed on.)";

// All that is said in the request as one text, for somebody else to look at.
std::string text_of(const chat::Request& request);

// Nothing is left of the conversation: the model is asked to say in its own words that it can't
// help with that.
void decline(chat::Request* request);

// What a client is told whose request was blocked.
Error blocked(const GuardrailFindings& findings);

}  // namespace runnel::policy
