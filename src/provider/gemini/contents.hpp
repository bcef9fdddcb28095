#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/core/tool_names.hpp"
#include "provider/gemini/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::gemini {

// What the conversation is written for.
struct Audience {
    Model model;
    std::string owner{};        // whose kept state is the model's own: "gemini/<model>"
    std::string instruction{};  // goes behind the system text; may be empty
    // Whether the client speaks Gemini's own API: what only that has a word for goes on as it came.
    bool is_native = false;
};

// Appends the members systemInstruction (if there is any system text) and contents to the object
// that `body` ends in. Turns alternate, calls have all their results, in their order, in the turn
// after them, and the last word is not the model's.
Result<void> write_conversation(std::string& body, const std::vector<chat::Message>& messages,
                                const Audience& audience, std::vector<std::string>& warnings);

// Gemini's own id for a call that this gateway named `id`; empty when it gave none, or is not the
// one who gave it.
std::string native_call_id(std::string_view id);

// Vertex' older models take no more.
inline constexpr ToolNameRule tool_name_rule{
    .bytes_max = 64, .marks = "_-.:", .first = ToolNameRule::First::letter};

// Put before Gemini's own ids. Ids that were minted here begin so too, but have a length that
// Gemini's have not.
inline constexpr std::string_view call_id_prefix = "call_";

// Google's documented stand-in for a signature that is not to be had: history from another model,
// or lost.
inline constexpr std::string_view any_signature = "skip_thought_signature_validator";

}  // namespace runnel::provider::gemini
