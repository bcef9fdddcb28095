#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/anthropic/draft.hpp"

#include <string_view>

namespace runnel::provider::anthropic {

// The body of POST /v1/messages. What the API has no word for is dropped with a warning where the
// answer stays the same kind of answer, and refused where it would not.
Result<Draft> write_body(const chat::Request& request, std::string_view model);

}  // namespace runnel::provider::anthropic
