#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"

#include <string>

namespace runnel::dialect {

// Reads an OpenAI chat completion request. The JSON is validated once, from end to end; after that
// its text is only looked at where a field must be understood, and everything long stays in the
// body as it came.
//
// An error names the field at fault in `param`, by its path (tools[1].function.name), and says what
// was expected. `parser` is used during the call only, and not for large bodies, so that its
// buffers stay small.
Result<chat::Request> read_openai_request(std::string body, json::Parser* parser);

}  // namespace runnel::dialect
