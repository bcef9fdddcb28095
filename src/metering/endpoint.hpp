#pragma once

#include "chat/operation.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace runnel::metering {

// What keys are for, by the paths that limits name.
inline constexpr std::string_view chat_endpoint = "/v1/chat/completions";
inline constexpr std::string_view embeddings_endpoint = "/v1/embeddings";
inline constexpr std::array<std::string_view, 8> endpoint_names = {
    chat_endpoint, embeddings_endpoint, "/v1/models", "/v1/tools/execute",
    "/v1/tools",   "/v1/logs",          "/v1/usage",  "/v1/balance"};

// The one that such requests come to.
constexpr std::string_view endpoint_of(chat::Operation::Kind kind) {
    using enum chat::Operation::Kind;
    switch (kind) {
        case embedding: return embeddings_endpoint;
        case chat: break;
    }
    return chat_endpoint;
}

// What other APIs have at paths of their own.
inline constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"/v1/messages", chat_endpoint},      {"/v1/responses", chat_endpoint},
    {"/v1/completions", chat_endpoint},   {"/api/chat", chat_endpoint},
    {"/api/generate", chat_endpoint},     {"/api/tags", "/v1/models"},
    {"/api/show", "/v1/models"},          {"/api/ps", "/v1/models"},
    {"/v1/conversations", chat_endpoint}, {"/v1beta/models", "/v1/models"}};

constexpr bool is_at_or_under(std::string_view path, std::string_view name) {
    return path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '/');
}

// The one that a path belongs to, as /v1/models/gpt-5 does to /v1/models; empty: none. Whatever API
// it is asked in, a chat is one.
constexpr std::string_view endpoint_at(std::string_view path) {
    if (path.starts_with("/v1beta/models/") || path.starts_with("/v1/models/")) {
        for (const std::string_view verb : {":embedContent", ":batchEmbedContents"})
            if (path.ends_with(verb)) return embeddings_endpoint;
        for (const std::string_view verb :
             {":generateContent", ":streamGenerateContent", ":countTokens"})
            if (path.ends_with(verb)) return chat_endpoint;
    }
    for (const auto& [other, name] : other_names)
        if (is_at_or_under(path, other)) return name;
    for (const std::string_view name : endpoint_names)
        if (is_at_or_under(path, name)) return name;
    return {};
}

}  // namespace runnel::metering
