#pragma once

#include "chat/request.hpp"

#include <string>
#include <string_view>

// Claude signs its reasoning and wants the signed blocks back, unchanged, with the results of the
// tools it called.
namespace runnel::provider::anthropic {

// Who may get a turn's blocks back: signatures are bound to provider and model (see
// chat::KeptState).
std::string state_owner(std::string_view model);

// Append a block to `blocks`, a run of JSON values with commas between. Texts are JSON-escaped.
void append_thinking(std::string& blocks, std::string_view thinking, std::string_view signature);
void append_redacted_thinking(std::string& blocks, std::string_view data);

// The signed blocks of an assistant message as such a run, from whichever carrier has them: the
// client's own copy, or what was kept of the answer here. Empty when there are none: reasoning
// without a signature is refused upstream.
std::string signed_thinking(const chat::Message& message, std::string_view owner);

}  // namespace runnel::provider::anthropic
