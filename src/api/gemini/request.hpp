#pragma once

#include "api/api.hpp"
#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"

namespace runnel::api::gemini {

// Reads a request of Gemini's generateContent or streamGenerateContent; the path has the model, and
// says whether to stream. Everything long stays in the body as it came; what only Gemini knows is
// kept for providers that speak this API. `parser` is used during the call only.
Result<chat::Request> read_request(Incoming incoming, json::Parser* parser);

// Reads a request of countTokens: the contents, or a whole request of the others as
// generateContentRequest.
Result<chat::Request> read_count_request(Incoming incoming, json::Parser* parser);

// What can't be wanted together; asked once the model's defaults are in it.
Result<void> check_request(const chat::Request& request);

}  // namespace runnel::api::gemini
