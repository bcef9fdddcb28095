#include "agent/conversation_places.hpp"

#include "base/sha256.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"

#include <fmt/format.h>

namespace runnel::agent {
namespace {

using chat::Message;
using chat::Part;

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

void add_part(std::string& text, const Part& part) {
    switch (part.kind) {
        case Part::Kind::text:
        case Part::Kind::refusal:
            if (part.text_escaped.empty()) return;  // as good as none
            add_piece(text, "text");
            return add_escaped(text, part.text_escaped);
        case Part::Kind::image:
            add_piece(text, "image");
            return add_escaped(text, part.url_escaped);
        case Part::Kind::audio:
            add_piece(text, "audio");
            return add_escaped(text, part.data_escaped);
        case Part::Kind::file:
            add_piece(text, "file");
            add_escaped(text, part.data_escaped);
            return add_escaped(text, part.file_id_escaped);
        case Part::Kind::other: break;
    }
    add_piece(text, "other");
    add_json(text, part.raw);
}

// What was said before, as its name, and then this.
std::string place_after(std::string_view before, const Message& message) {
    std::string text;
    add_piece(text, before);
    add_piece(text, chat::name_of(message.role));
    add_piece(text, message.name);
    add_piece(text, message.tool_call_id);
    for (const Part& part : message.parts) add_part(text, part);
    for (const chat::ToolCall& call : message.tool_calls) {
        add_piece(text, "call");
        add_piece(text, call.id);
        add_piece(text, call.name);
        add_json(text, json::unescaped(call.arguments_escaped));
    }
    const Digest digest = sha256(text);
    return {digest.begin(), digest.end()};
}

}  // namespace

ConversationPlaces::ConversationPlaces(std::string_view owner, const chat::Request& request)
    : next_(owner) {
    for (const Message& message : request.messages) {
        if (message.sent.empty()) continue;
        if (!message.tool_calls.empty()) turns_.emplace(message.sent.data(), next_);
        next_ = place_after(next_, message);
    }
}

std::string_view ConversationPlaces::of(const Message& turn) const {
    if (turn.sent.empty()) return next_;
    const auto found = turns_.find(turn.sent.data());
    return found == turns_.end() ? std::string_view() : found->second;
}

std::string name_of_call(std::string_view place, std::string_view call_id) {
    std::string name;
    name.reserve(place.size() + call_id.size() + 1);
    return name.append(place).append("/").append(call_id);
}

}  // namespace runnel::agent
