#pragma once

#include "api/api.hpp"
#include "base/result.hpp"
#include "chat/request.hpp"
#include "json/parser.hpp"

#include <string>
#include <vector>

namespace runnel::api::responses {

// Reads a request of OpenAI's Responses API. What it goes on from is named in it, and added once it
// has been found (add_earlier). Everything long stays in the body as it came; what only
// this API knows is kept for providers that speak it. `parser` is used during the call only.
Result<chat::Request> read_request(std::string body, json::Parser* parser);

// Puts the items of earlier turns, oldest first, between the instructions and what is asked anew.
Result<void> add_earlier(std::vector<EarlierTurn> turns, chat::Request* request,
                         json::Parser* parser);

// What can't be wanted together; asked once the model's defaults are in it.
Result<void> check_request(const chat::Request& request);

}  // namespace runnel::api::responses
