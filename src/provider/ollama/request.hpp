#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "timeline/event.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::ollama {

struct Body {
    std::string text{};
    std::vector<std::string> warnings{};
    timeline::Started::Form form = timeline::Started::Form::free;
};

// The body of POST /api/chat. Ollama has no tool_choice: `none` is said by sending no tools, and
// that a tool must be called by saying so in the system text.
Result<Body> write_body(const chat::Request& request, std::string_view model);

}  // namespace runnel::provider::ollama
