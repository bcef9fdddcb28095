#pragma once

#include "dialect/request_value.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace runnel::dialect {

// Reads the `messages` of a chat completion request. What clients write in an old or wrong way that
// can only mean one thing (function_call, role "function", image_url as a bare string) is read in
// the new way, and the raw text that goes on to OpenAI-compatible providers is mended likewise.
class OpenAiMessages {
public:
    // Messages and mended text go into `request`, which must outlive the reader.
    explicit OpenAiMessages(chat::Request* request) : request_(*request) {}

    Result<void> read(Value& messages);
    // The whole array as it goes on.
    std::string_view raw() const { return raw_; }

private:
    // A piece of the client's text and what stands in its place.
    struct Edit {
        std::string_view old;
        std::string text;
    };
    // A message being read.
    struct Draft {
        std::size_t index;
        chat::Message message{};
        std::string_view role_raw{};
        enum class Role { absent, told, function } role = Role::absent;
        enum class Content { absent, told } content = Content::absent;
        bool has_function_call = false;
    };

    Result<void> read_message(std::size_t index, Value& value);
    Result<void> read_field(std::string_view name, Value& value, Draft& draft);
    Result<void> read_role(Value& value, Draft& draft);
    Result<void> read_content(Value& value, Draft& draft);
    Result<void> read_part(Value& value, chat::Message& message);
    Result<void> read_image(Value& value, chat::Part& part);
    Result<void> read_tool_call(Value& value, chat::Message& message);
    Result<void> read_function_call(Value& value, Draft& draft);
    Result<void> count_part(const Value& value);
    Result<void> count_call(const Value& value, const chat::ToolCall& call);
    Result<void> check(Value& value, Draft& draft);
    Result<void> match_call(Value& value, Draft& draft);
    // `raw` with the edits made since the first `edits_before` of them.
    std::string_view mended(std::string_view raw, std::size_t edits_before);

    chat::Request& request_;
    std::string_view raw_;
    std::vector<Edit> edits_;
    std::unordered_set<std::string> call_ids_;  // of the messages so far
    std::string function_call_id_;              // of the last function_call
    std::size_t parts_ = 0;
    std::size_t calls_ = 0;
    std::size_t argument_commas_ = 0;  // of all calls
};

}  // namespace runnel::dialect
