#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/core/turn.hpp"
#include "timeline/event.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::gemini {

struct Body {
    std::string text{};
    std::vector<std::string> warnings{};
    timeline::Started::Form form = timeline::Started::Form::free;
    TurnOptions::Samples samples = TurnOptions::Samples::bare;
};

// The body of generateContent and streamGenerateContent, which are the same. What Gemini has no
// word for is dropped with a warning where the answer stays the same kind of answer, and refused
// where it would not.
Result<Body> write_body(const chat::Request& request, std::string_view model);

}  // namespace runnel::provider::gemini
