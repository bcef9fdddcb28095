#pragma once

#include "chat/request.hpp"
#include "timeline/event.hpp"

#include <string>
#include <string_view>

// The items of a response's `output`, which its streams and its whole answers write alike.
namespace runnel::api::responses {

struct OutputItem {
    enum class Kind { reasoning, text, refusal, function_call, custom_call } kind = Kind::text;
    std::string id{};
    std::string call_id{};  // the calls
    std::string name{};
    std::string group{};
    // Its words, a function's arguments, or a custom tool's input, escaped.
    std::string text{};
    // JSON objects with commas between.
    std::string annotations{};
    std::string logprobs{};
    std::string sealed{};  // encrypted_content, escaped

    std::size_t bytes() const {
        return text.size() + annotations.size() + logprobs.size() + sealed.size();
    }
};

enum class ItemStatus { in_progress, completed, incomplete };

// What is in progress has no content yet.
void append_item(std::string& out, const OutputItem& item, ItemStatus status);
// What a message is made of: its one part.
void append_content_part(std::string& out, const OutputItem& item);
void append_summary_part(std::string& out, std::string_view text_escaped);

// These add one JSON object to a list, with a comma where it needs one.
void add_annotation(std::string& list, const timeline::Citation& citation);
void add_logprobs(std::string& list, const timeline::Logprobs& event);
// Whether there is an annotation for it: not where nothing is known of the source.
bool has_annotation(const timeline::Citation& citation);

// The item that a call becomes, as the client knows the tool; `request` may be null.
OutputItem call_item(const chat::Request* request, std::string_view call_id, std::string_view name);
// Makes what a model wrote for a call what clients expect: an object, or a custom tool's text.
void complete_call(OutputItem& item);

// The id of an item of the response with that id.
std::string item_id(std::string_view response_id, OutputItem::Kind kind, int index);

}  // namespace runnel::api::responses
