#pragma once

#include "api/request_value.hpp"

namespace runnel::api::gemini {

// Reads `tools` and `toolConfig`.
class Tools {
public:
    // What is read goes into `request`, which must outlive the reader.
    explicit Tools(chat::Request* request) : request_(*request) {}

    Result<void> read(Value& tools);
    Result<void> read_config(Value& config);

private:
    // One object may declare functions and name tools of Google's.
    Result<void> read_tool(Value& value);
    Result<void> read_function(Value& value);
    Result<void> read_function_field(std::string_view name, Value& field, chat::Tool& tool);
    Result<void> add(const Value& value, chat::Tool tool);
    Result<void> check_names(const Value& tools) const;
    Result<void> read_choice(Value& value);

    chat::Request& request_;
};

// What can only be checked when both are known.
Result<void> check_tool_choice(const chat::Request& request);

}  // namespace runnel::api::gemini
