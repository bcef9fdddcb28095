#pragma once

#include "api/request_value.hpp"

// The tools of a Messages request, and the wish which of them to call.
namespace runnel::api::messages {

Result<void> read_tools(Value& value, chat::Request& request);
Result<void> read_tool_choice(Value& value, chat::Request& request);

// What can only be checked when both are known.
Result<void> check_tool_choice(const chat::Request& request);

}  // namespace runnel::api::messages
