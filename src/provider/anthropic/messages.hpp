#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/anthropic/draft.hpp"

#include <span>
#include <string_view>

namespace runnel::provider::anthropic {

// What the model lets a conversation end with.
enum class LastTurn { any, user };

// Writes the texts of the leading system and developer messages, each a block of its own so that
// cache marks stay where they were, and after them `instruction` unless it is empty. Writes nothing
// at all when there is nothing to say.
void write_system(Draft& draft, std::span<const chat::Message> messages,
                  std::string_view instruction);

// Writes the conversation in the order the API insists on: user first, then by turns, the results
// of all calls of a turn together, first, and in the order of the calls. What the assistant said
// stays in its own order. `owner` is whose signed thinking the model takes back (see state_owner).
Result<void> write_messages(Draft& draft, std::span<const chat::Message> messages,
                            std::string_view owner, LastTurn last_turn);

}  // namespace runnel::provider::anthropic
