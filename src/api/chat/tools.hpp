#pragma once

#include "api/request_value.hpp"

#include <string>
#include <vector>

// The tools of a chat completion request, and the wish which of them to call.
namespace runnel::api {

Result<void> read_tools(Value& value, chat::Request& request);
Result<void> read_tool_choice(Value& value, chat::ToolChoice& choice);

// The same in the form before tools: `functions` and `function_call`.
Result<void> read_functions(Value& value, chat::Request& request);
Result<void> read_function_choice(Value& value, chat::ToolChoice& choice);

// `builtin_tools`: tools of the gateway's that this request wants.
Result<void> read_builtin_tools(Value& value, std::vector<std::string>& names);

// What can only be checked when both are known: the choice names tools that are there.
Result<void> check_tool_choice(const chat::Request& request);

}  // namespace runnel::api
