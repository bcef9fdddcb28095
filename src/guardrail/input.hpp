#pragma once

#include "chat/request.hpp"
#include "guardrail/findings.hpp"
#include "guardrail/set.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::guardrail {

// What becomes of a request, as far as rules can tell that look at it here.
struct InputScan {
    enum class Outcome {
        pass,
        block,    // `error` is the client's answer; nobody else is asked
        decline,  // the model is asked to refuse: decline()
        redact,   // the request has been changed, and may go on
    } outcome = Outcome::pass;
    Error error{};
    GuardrailFindings findings{};
    // What was replaced in the request. The view lives as long as that.
    struct Edit {
        std::string_view before;  // inside of a JSON string, or a whole JSON value
        std::string after;        // the same
    };
    std::vector<Edit> edits{};
};

// Looks at all that is said in the request: messages, what tools have answered, and what the model
// has called them with. Not at tool definitions, nor at what the gateway adds itself. What has to
// be replaced is replaced in the request; thoughts that were changed are signed by nobody any more.
Result<InputScan> scan_input(const GuardrailSet& set, GuardrailBits rules,
                             GuardrailWorkspace* workspace, chat::Request* request);

// The client's body with the same replaced in it, for the log; null where something that was
// replaced is not to be found there, so that nobody can say what the body gives away.
std::string edited_body(const InputScan& scan, const chat::Request& request);

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

}  // namespace runnel::guardrail
