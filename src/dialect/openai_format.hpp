#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "dialect/request_value.hpp"

#include <string>

// What a request says about the form of its answer.
namespace runnel::dialect {

// `response_format`. Returns it anew where it holds something for the gateway alone; empty where it
// can go on as it is.
Result<std::string> read_response_format(Value& value, chat::Request& request);

// What can't be wanted together, once all fields are known.
Result<void> check_format(const chat::Request& request);

}  // namespace runnel::dialect
