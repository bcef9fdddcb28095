#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/bedrock/draft.hpp"

#include <span>
#include <string_view>

namespace runnel::provider::bedrock {

// What the model lets a conversation end with.
enum class LastTurn { any, user };

// Writes the texts of the leading system and developer messages, each a block of its own so that
// cache points stay where they were, and after them `instruction` unless it is empty. Writes
// nothing at all when there is nothing to say.
void write_system(Draft& draft, std::span<const chat::Message> messages,
                  std::string_view instruction);

// Writes the conversation in the order Converse insists on: user first, then by turns, the results
// of all calls of a turn together and in the order of the calls. Signed reasoning that is not
// `owner`'s is left out. `whole` is a cache mark of the whole request: it goes to the end.
Result<void> write_messages(Draft& draft, std::span<const chat::Message> messages,
                            std::string_view owner, LastTurn last_turn,
                            const std::optional<chat::CacheMark>& whole);

}  // namespace runnel::provider::bedrock
