#pragma once

#include "api/request_value.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace runnel::api::ollama {

// Reads `messages`. Calls may come without ids, and then their results say which tool they are of,
// or nothing: they answer the calls before them in order.
class Messages {
public:
    // What is read goes into `request`, which must outlive the reader.
    explicit Messages(chat::Request* request) : request_(*request) {}

    Result<void> read(Value& messages);
    // Base64, in no form that says what it is of.
    Result<void> read_images(Value& images, chat::Message& message);

private:
    // What a message says; views lie in the body.
    struct Fields {
        chat::Message message{};
        std::string role{};
        std::string_view thinking{};
        std::string_view content{};
        std::string tool_name{};
    };

    Result<void> read_message(Value& value);
    Result<void> read_field(std::string_view name, Value& field, Fields& fields);
    Result<void> read_calls(Value& calls, chat::Message& message);
    Result<void> read_call(Value& value, chat::ToolCall& call);
    Result<void> count(const Value& part);
    Result<void> find_call(const Value& value, Fields& fields);
    // The id of the call that a result answers; empty: there is none.
    std::string answered_call(const std::string& id, const std::string& name);
    std::string first_open(std::deque<std::string>& ids);

    chat::Request& request_;
    std::size_t parts_ = 0;
    std::size_t minted_ = 0;
    std::set<std::string> calls_;
    std::set<std::string> open_;  // have no result yet
    std::deque<std::string> ids_;
    std::map<std::string, std::deque<std::string>> ids_by_name_;
};

}  // namespace runnel::api::ollama
