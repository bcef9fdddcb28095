#pragma once

#include "chat/operation.hpp"

#include <array>
#include <string_view>

namespace runnel::metering {

// What keys are for, by the paths that limits name.
inline constexpr std::string_view chat_endpoint = "/v1/chat/completions";
inline constexpr std::array<std::string_view, 7> endpoint_names = {
    chat_endpoint, "/v1/models", "/v1/tools/execute", "/v1/tools",
    "/v1/logs",    "/v1/usage",  "/v1/balance"};

// The one that such requests come to.
constexpr std::string_view endpoint_of(chat::Operation::Kind kind) {
    switch (kind) {
        case chat::Operation::Kind::chat: break;
    }
    return chat_endpoint;
}

// The one that a path belongs to, as /v1/models/gpt-5 does to /v1/models; empty: none. Whatever API
// it is asked in, a chat is one.
constexpr std::string_view endpoint_at(std::string_view path) {
    if (path == "/v1/messages" || path == "/v1/responses") return chat_endpoint;
    for (const std::string_view name : endpoint_names)
        if (path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '/'))
            return name;
    return {};
}

}  // namespace runnel::metering
