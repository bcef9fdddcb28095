#pragma once

#include "chat/request.hpp"

#include <string>
#include <string_view>
#include <vector>

// Claude signs its reasoning and wants the signed blocks back, unchanged and in their places, with
// the results of the tools it called.
namespace runnel::provider::anthropic {

// Who may get a turn's blocks back: signatures are bound to provider and model (see
// chat::ProviderState).
std::string state_owner(std::string_view model);

// Append a block to `blocks`, a run of JSON values with commas between. Texts are JSON-escaped.
void append_thinking(std::string& blocks, std::string_view thinking, std::string_view signature);
void append_redacted_thinking(std::string& blocks, std::string_view data);
void append_thinking(std::string& blocks, const chat::Reasoning& reasoning);

// The part's reasoning where it is signed and may go back to `owner`; else null: without a
// signature, or with somebody else's, it is refused upstream.
const chat::Reasoning* signed_reasoning(const chat::Part& part, std::string_view owner);

// Blocks that were kept here, because the client dropped them.
struct KeptThinking {
    const chat::ToolCall* before;  // the call that follows them
    std::string_view blocks;
};
// What was kept of a message, in order; nothing where the client brings signed reasoning itself.
std::vector<KeptThinking> kept_thinking(const chat::Message& message, std::string_view owner);

// Whether there is any of the two.
bool carries_thinking(const chat::Message& message, std::string_view owner);

}  // namespace runnel::provider::anthropic
