#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"

#include <string>

namespace runnel::api {

// Reads a chat completion request. Everything long stays in the body as it came. An error names the
// field at fault in `param`, by its path (tools[1].function.name), and says what was expected.
// `parser` is used during the call only.
Result<chat::Request> read_chat_request(std::string body, json::Parser* parser);

// A virtual model's defaults: some fields of such a request, in a JSON object.
Result<chat::Request> read_chat_defaults(std::string fields);

// What can't be wanted together; asked once the model's defaults are in it.
Result<void> check_chat_request(const chat::Request& request);

}  // namespace runnel::api
