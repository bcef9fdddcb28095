#pragma once

#include "api/request_value.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace runnel::api::responses {

// Reads the `input` of a Responses request, item by item. What the assistant said, thought and
// called in a row is one message.
class InputItems {
public:
    // What is read goes into `request`, which must outlive the reader.
    explicit InputItems(chat::Request* request) : request_(*request) {}

    Result<void> read(Value& input);
    // Results need their calls before them: the error of the first that has none, unless the
    // request goes on from an earlier answer.
    Result<void> check_results() const;
    // Whether there are items that stand for others (resolve_items).
    bool refers() const { return refers_; }
    // Adds the tools that items brought to the request's own, once those are known.
    Result<void> add_tools();

private:
    Result<void> read_item(Value& item);
    Result<void> read_message(Value& item);
    Result<void> read_call(Value& item, chat::ToolCall::Kind kind);
    Result<void> read_output(Value& item);
    Result<void> read_thought(Value& item);
    Result<void> read_more_tools(Value& item);
    // The texts of a list of parts, as one.
    Result<void> read_texts(Value& value, std::string_view& text_escaped);
    Result<void> read_content(Value& content, chat::Message& message);
    Result<void> read_part(Value& value, std::vector<chat::Part>& parts);
    Result<void> count(const Value& value);
    Result<void> count_call(const Value& item, const chat::ToolCall& call);
    // The assistant's message that is going on, or a new one.
    chat::Message& turn();

    chat::Request& request_;
    std::set<std::string> call_ids_;
    std::optional<Error> without_call_;  // of the first result that has none
    std::vector<chat::Tool> tools_;
    std::size_t count_ = 0;
    std::size_t argument_commas_ = 0;
    bool refers_ = false;
};

}  // namespace runnel::api::responses
