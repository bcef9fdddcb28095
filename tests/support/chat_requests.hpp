#pragma once

#include "chat/request.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Chat requests in few words. Texts are JSON-escaped and must outlive the request: literals do.
namespace runnel::testing {

using chat::Message;
using chat::Part;
using chat::Request;
using chat::Role;

inline Part text(std::string_view escaped) { return {chat::Text{escaped}}; }

// Worth keeping in the provider's cache.
inline Part marked(Part part, std::string_view ttl = {}) {
    part.cache = chat::CacheMark{ttl};
    return part;
}

inline Part image(std::string_view url) {
    return {chat::Image{.source = chat::source_of_url(url)}};
}

inline Message said(Role role, std::vector<Part> parts) {
    Message message;
    message.role = role;
    message.parts = std::move(parts);
    return message;
}

inline Message said(Role role, std::string_view words) { return said(role, {text(words)}); }

inline Message called(std::vector<std::pair<std::string, std::string_view>> calls) {
    Message message;
    message.role = Role::assistant;
    for (const auto& [id, arguments] : calls)
        message.parts.push_back(
            {chat::ToolCall{.id = id, .name = "find", .arguments_escaped = arguments}});
    return message;
}

inline Message result(std::string id, std::string_view words) {
    Message message = said(Role::tool, words);
    message.tool_call_id = std::move(id);
    return message;
}

inline chat::Tool tool(std::string name, std::string_view schema = R"({"type":"object"})") {
    chat::Tool tool;
    tool.name = std::move(name);
    tool.parameters_raw = schema;
    return tool;
}

inline Request asking(std::vector<Message> messages) {
    Request request;
    request.max_tokens = 100;
    request.messages = std::move(messages);
    return request;
}

inline Request hello() { return asking({said(Role::user, "Hi")}); }

}  // namespace runnel::testing
