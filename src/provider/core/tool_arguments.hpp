#pragma once

#include "chat/request.hpp"

#include <string>
#include <string_view>

namespace runnel::provider {

// A call's arguments as the JSON object that some providers want: `escaped` is JSON text inside a
// JSON string, and may be empty or, because a model wrote it, anything. What is no object goes on
// as the one member rawInvalidInput.
std::string arguments_object(std::string_view escaped);
// In whichever form the call has them. The input of a custom tool becomes the one member input.
std::string arguments_object(const chat::ToolCall& call);

}  // namespace runnel::provider
