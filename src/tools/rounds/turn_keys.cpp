#include "tools/rounds/turn_keys.hpp"

#include "base/sha256.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"

#include <fmt/format.h>

namespace runnel::tools {
namespace {

using chat::Message;

// With its length before it, so that no two lists of parts read the same.
void add_piece(std::string& text, std::string_view piece) {
    text += fmt::format("{}:", piece.size());
    text += piece;
}

void add_escaped(std::string& text, std::string_view escaped) {
    add_piece(text, json::unescaped(escaped));
}

// The same however it is spaced and escaped.
void add_json(std::string& text, std::string_view raw) {
    std::string compact;
    json::append_compact(compact, raw);
    add_escaped(text, compact);
}

void add_said(std::string& text, std::string_view escaped) {
    if (escaped.empty()) return;  // as good as none
    add_piece(text, "text");
    add_escaped(text, escaped);
}

void add_source(std::string& text, std::string_view kind, const chat::Source& source) {
    add_piece(text, kind);
    add_escaped(text, source.media_type_escaped);
    for (const std::string_view part :
         {source.data_escaped, source.url_escaped, source.file_id_escaped})
        add_escaped(text, part);
}

void add(std::string& text, const chat::Text& part) { add_said(text, part.text_escaped); }
void add(std::string& text, const chat::Refusal& part) { add_said(text, part.text_escaped); }
void add(std::string& text, const chat::Image& part) { add_source(text, "image", part.source); }
void add(std::string& text, const chat::Audio& part) { add_source(text, "audio", part.source); }
void add(std::string& text, const chat::Video& part) { add_source(text, "video", part.source); }

void add(std::string& text, const chat::File& part) {
    add_source(text, "file", part.source);
    add_escaped(text, part.text_escaped);
}

void add(std::string&, const chat::Reasoning&) {}  // it comes back or does not

void add(std::string& text, const chat::ToolCall& call) {
    add_piece(text, "call");
    add_piece(text, call.id);
    add_piece(text, call.name);
    add_json(text, call.arguments_raw.empty() ? json::unescaped(call.arguments_escaped)
                                              : std::string(call.arguments_raw));
}

void add(std::string& text, const chat::Other& part) {
    add_piece(text, "other");
    add_json(text, part.raw);
}

// What was said before, as its name, and then this.
std::string key_after(std::string_view before, const Message& message) {
    std::string text;
    add_piece(text, before);
    add_piece(text, chat::name_of(message.role));
    add_piece(text, message.name);
    add_piece(text, message.tool_call_id);
    for (const chat::Part& part : message.parts)
        std::visit([&](const auto& content) { add(text, content); }, part.content);
    const Digest digest = sha256(text);
    return {digest.begin(), digest.end()};
}

}  // namespace

TurnKeys::TurnKeys(std::string_view owner, const chat::Request& request) : next_(owner) {
    for (const Message& message : request.messages) {
        if (message.number == 0) continue;
        if (message.has_calls()) turns_.emplace(message.number, next_);
        next_ = key_after(next_, message);
    }
}

std::string_view TurnKeys::of(const Message& turn) const {
    if (turn.number == 0) return next_;
    const auto found = turns_.find(turn.number);
    return found == turns_.end() ? std::string_view() : found->second;
}

std::string key_of_call(std::string_view turn_key, std::string_view call_id) {
    std::string name;
    name.reserve(turn_key.size() + call_id.size() + 1);
    return name.append(turn_key).append("/").append(call_id);
}

}  // namespace runnel::tools
