#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"

#include <string>

namespace runnel::api::responses {

// Reads a request of OpenAI's Responses API that brings all of its conversation along: what needs
// responses that somebody kept is refused. Everything long stays in the body as it came; what only
// this API knows is kept for providers that speak it. `parser` is used during the call only.
Result<chat::Request> read_request(std::string body, json::Parser* parser);

// What can't be wanted together; asked once the model's defaults are in it.
Result<void> check_request(const chat::Request& request);

}  // namespace runnel::api::responses
