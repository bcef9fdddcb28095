#pragma once

#include "chat/request.hpp"

#include <string>
#include <string_view>

// Models that sign their reasoning want it back unchanged, with the results of the tools they
// called. Bedrock has its own form for it.
namespace runnel::provider::bedrock {

// Who may get a turn's reasoning back: signatures are bound to the model (see chat::ProviderState).
std::string state_owner(std::string_view model);

// Append a block to `blocks`, a run of JSON values with commas between. Texts are JSON-escaped.
void append_reasoning(std::string& blocks, std::string_view text, std::string_view signature);
void append_redacted_reasoning(std::string& blocks, std::string_view data);

// The part's reasoning where it is signed and may go back to `owner`; else null.
const chat::Reasoning* signed_reasoning(const chat::Part& part, std::string_view owner);

}  // namespace runnel::provider::bedrock
