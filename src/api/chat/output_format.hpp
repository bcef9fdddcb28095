#pragma once

#include "api/request_value.hpp"
#include "base/result.hpp"
#include "chat/request.hpp"

// What a request says about the form of its answer.
namespace runnel::api {

// `response_format`, with how answers are healed in it, which is the gateway's business alone.
Result<void> read_response_format(Value& value, chat::Request& request);

// What can't be wanted together, once all fields are known.
Result<void> check_format(const chat::Request& request);

}  // namespace runnel::api
