#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"

#include <string>

namespace runnel::api::messages {

// Reads a request of Anthropic's Messages API. Everything long stays in the body as it came; what
// only Anthropic knows is kept for providers that speak this API. `parser` is used during the call
// only.
Result<chat::Request> read_request(std::string body, json::Parser* parser);

// What can't be wanted together; asked once the model's defaults are in it.
Result<void> check_request(const chat::Request& request);

}  // namespace runnel::api::messages
