#pragma once

#include "chat/request.hpp"

#include <string>
#include <string_view>

namespace runnel::provider {

// Whether a call's arguments, as text inside a JSON string, say nothing: white space, or null.
bool says_nothing(std::string_view escaped);
// Whether they may come to that, where this is their beginning.
bool may_say_nothing(std::string_view escaped);

// A call's arguments as the JSON object that some providers want: `escaped` is JSON text inside a
// JSON string, and may say nothing or, because a model wrote it, anything. What is no object goes
// on as the one member rawInvalidInput.
std::string arguments_object(std::string_view escaped);
// In whichever form the call has them. The input of a custom tool becomes the one member input.
std::string arguments_object(const chat::ToolCall& call);

}  // namespace runnel::provider
