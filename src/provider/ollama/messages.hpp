#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"

#include <string>
#include <string_view>

namespace runnel::provider::ollama {

// Appends the member `messages` to the object that `body` ends in. `instruction` (plain text, may
// be empty) joins the system text. The results of calls follow them in their order: by it alone
// Ollama's templates tell them apart.
Result<void> write_messages(std::string& body, const chat::Request& request,
                            std::string_view instruction);

}  // namespace runnel::provider::ollama
