#pragma once

#include "api/request_value.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::api {

// Reads the `messages` of a chat completion request. What clients write in an old or wrong way that
// can only mean one thing (function_call, role "function", image_url as a bare string) is read in
// the new way.
class ChatMessages {
public:
    // Messages go into `request`, which must outlive the reader.
    explicit ChatMessages(chat::Request* request) : request_(*request) {}

    Result<void> read(Value& messages);

private:
    // A message being read: its parts have an order that its fields need not have.
    struct Draft {
        std::size_t index;
        chat::Message message{};
        enum class Role { absent, told, function } role = Role::absent;
        enum class Content { absent, told } content = Content::absent;
        bool has_function_call = false;
        std::string_view reasoning_escaped{};
        std::vector<chat::Part> thinking{};          // from thinking_blocks
        std::vector<chat::Part> thinking_details{};  // from reasoning_details
        std::vector<chat::Part> calls{};
    };

    Result<void> read_message(std::size_t index, Value& value);
    Result<void> read_field(std::string_view name, Value& value, Draft& draft);
    Result<void> read_role(Value& value, Draft& draft);
    Result<void> read_content(Value& value, Draft& draft);
    Result<void> read_part(Value& value, chat::Message& message);
    Result<void> read_tool_call(Value& value, Draft& draft);
    Result<void> read_function_call(Value& value, Draft& draft);
    Result<void> count_part(const Value& value);
    Result<void> count_call(const Value& value, const chat::ToolCall& call);
    Result<void> check(Value& value, Draft& draft);
    Result<void> match_call(Value& value, Draft& draft);

    chat::Request& request_;
    std::set<std::string> call_ids_;  // of the messages so far
    std::string function_call_id_;    // of the last function_call
    std::size_t parts_ = 0;
    std::size_t calls_ = 0;
    std::size_t argument_commas_ = 0;  // of all calls
};

}  // namespace runnel::api
