#pragma once

#include "api/api.hpp"

namespace runnel::api::completions {

// A request of OpenAI's older API: one text that is to be gone on with, which becomes a message of
// the user's.
Result<chat::Request> read_request(Incoming incoming, json::Parser* parser);

Result<void> check_request(const chat::Request& request);

}  // namespace runnel::api::completions
