#include "server/endpoints.hpp"

#include "api/registry.hpp"
#include "server/handlers.hpp"
#include "server/url.hpp"

#include <algorithm>

namespace runnel::server {
namespace {

using enum access::Scope;

constexpr auto plain = Endpoint::Kind::plain;

constexpr Audience everybody{Audience::Kind::everybody};
constexpr Audience admin{Audience::Kind::admin};
constexpr Audience scrapers{Audience::Kind::scrapers};
constexpr Audience keys(access::Scope scope) { return {Audience::Kind::keys, scope}; }

// Asks a model, in the words of an API.
constexpr Endpoint inference(std::string_view path, Audience audience, Answer (*handler)(Call),
                             const api::Api& (*api)()) {
    return {"POST", path, audience, handler, Endpoint::Kind::inference, api};
}

// Of those at a path, the first is the one that is meant.
constexpr Endpoint table[] = {
    inference("/v1/chat/completions", keys(chat_write), answer_chat, api::chat_api),
    inference("/v1/completions", keys(chat_write), answer_chat, api::completions_api),
    inference("/v1/messages", keys(chat_write), answer_chat, api::messages_api),
    inference("/v1/messages/count_tokens", keys(chat_write), count_tokens, api::messages_api),
    inference("/v1/responses", keys(chat_write), answer_chat, api::responses_api),
    inference("/v1beta/models/*:generateContent", keys(chat_write), answer_gemini, api::gemini_api),
    inference("/v1beta/models/*:streamGenerateContent", keys(chat_write), answer_gemini,
              api::gemini_api),
    inference("/v1/models/*:generateContent", keys(chat_write), answer_gemini, api::gemini_api),
    inference("/v1/models/*:streamGenerateContent", keys(chat_write), answer_gemini,
              api::gemini_api),
    inference("/api/chat", keys(chat_write), answer_ollama, api::ollama_api),
    inference("/api/generate", keys(chat_write), answer_ollama, api::ollama_api),
    inference("/v1/embeddings", keys(chat_write), answer_embeddings, api::chat_api),
    inference("/v1beta/models/*:embedContent", keys(chat_write), answer_gemini_embeddings,
              api::gemini_api),
    inference("/v1beta/models/*:batchEmbedContents", keys(chat_write), answer_gemini_embeddings,
              api::gemini_api),
    inference("/v1/models/*:embedContent", keys(chat_write), answer_gemini_embeddings,
              api::gemini_api),
    inference("/v1/models/*:batchEmbedContents", keys(chat_write), answer_gemini_embeddings,
              api::gemini_api),
    inference("/v1beta/models/*:countTokens", keys(chat_write), count_tokens, api::gemini_api),
    inference("/v1/models/*:countTokens", keys(chat_write), count_tokens, api::gemini_api),

    {"GET", "/api/tags", keys(models_read), list_ollama_models, plain, api::ollama_api},
    {"POST", "/api/show", keys(models_read), show_ollama_model, plain, api::ollama_api},
    {"GET", "/api/ps", keys(models_read), list_loaded_models, plain, api::ollama_api},
    {"GET", "/api/version", everybody, show_ollama_version, plain, api::ollama_api},
    {"GET", "/v1/responses", keys(chat_write), decline_websocket},
    {"GET", "/v1/responses/*/input_items", keys(chat_write), list_input_items},
    {"POST", "/v1/responses/*/cancel", keys(chat_write), cancel_response},
    {"GET", "/v1/responses/*", keys(chat_write), show_response},
    {"DELETE", "/v1/responses/*", keys(chat_write), delete_response},
    {"POST", "/v1/conversations", keys(chat_write), create_conversation},
    {"GET", "/v1/conversations/*/items/*", keys(chat_write), show_conversation_item},
    {"DELETE", "/v1/conversations/*/items/*", keys(chat_write), delete_conversation_item},
    {"GET", "/v1/conversations/*/items", keys(chat_write), list_conversation_items},
    {"POST", "/v1/conversations/*/items", keys(chat_write), create_conversation_items},
    {"GET", "/v1/conversations/*", keys(chat_write), show_conversation},
    {"POST", "/v1/conversations/*", keys(chat_write), update_conversation},
    {"DELETE", "/v1/conversations/*", keys(chat_write), delete_conversation},
    {"GET", "/v1/models", keys(models_read), list_models},
    {"GET", "/v1/models/*", keys(models_read), show_model},
    {"GET", "/v1beta/models", keys(models_read), list_gemini_models, Endpoint::Kind::plain,
     api::gemini_api},
    {"GET", "/v1beta/models/*", keys(models_read), show_gemini_model, Endpoint::Kind::plain,
     api::gemini_api},
    {"GET", "/v1/tools", keys(tools_execute), list_tools},
    {"POST", "/v1/tools/execute", keys(tools_execute), execute_tool},
    {"GET", "/v1/logs", keys(logs_read), list_logs},
    {"GET", "/v1/logs/*/content", keys(logs_read), show_log_content},
    {"GET", "/v1/logs/*/stream", keys(logs_read), replay_log},
    {"GET", "/v1/logs/*", keys(logs_read), show_log},
    {"GET", "/v1/usage", keys(usage_read), show_usage},
    {"GET", "/v1/balance", keys(usage_read), show_balance},

    {"GET", "/admin/v1/logs", admin, list_logs},
    {"GET", "/admin/v1/logs/export", admin, export_logs},
    {"GET", "/admin/v1/logs/*/content", admin, show_log_content},
    {"GET", "/admin/v1/logs/*/stream", admin, replay_log},
    {"GET", "/admin/v1/logs/*", admin, show_log},
    {"DELETE", "/admin/v1/logs/*", admin, forget_log},
    {"GET", "/admin/v1/usage", admin, show_usage},
    {"GET", "/admin/v1/providers", admin, list_providers},
    {"GET", "/admin/v1/models", admin, list_models},
    {"GET", "/admin/v1/tools", admin, list_tools},
    {"GET", "/admin/v1/prices", admin, list_prices},
    {"GET", "/admin/v1/overview", admin, show_overview},
    {"GET", "/admin/v1/config", admin, show_config},
    {"POST", "/admin/v1/config/check", admin, check_config},
    {"POST", "/admin/v1/config/reload", admin, reload_config},
    {"GET", "/admin/v1/audit", admin, list_audit},
    {"POST", "/admin/v1/links", admin, create_link},
    {"GET", "/admin/v1/session", everybody, show_session},
    {"POST", "/admin/v1/session", everybody, sign_in},
    {"DELETE", "/admin/v1/session", everybody, sign_out},
    {"GET", "/admin/v1/keys", admin, list_keys},
    {"POST", "/admin/v1/keys", admin, create_key},
    {"POST", "/admin/v1/keys/*/rotate", admin, rotate_key},
    {"GET", "/admin/v1/keys/*", admin, show_key},
    {"PATCH", "/admin/v1/keys/*", admin, update_key},
    {"DELETE", "/admin/v1/keys/*", admin, revoke_key},
    {"POST", "/auth/api-keys", admin, create_wallet_key},

    {"GET", "/healthz", everybody, show_health},
    {"GET", "/health", everybody, show_health},
    {"GET", "/api/health", everybody, show_health},
    {"GET", "/readyz", everybody, show_readiness},
    {"GET", "/metrics", scrapers, show_metrics},
    {"GET", "/openapi.json", everybody, show_api_description},
    {"GET", "/", everybody, show_home},
};

// A path with two stars; the second is its end.
bool is_at_both(std::string_view asked, std::string_view path, std::size_t star,
                std::size_t second) {
    if (!asked.starts_with(path.substr(0, star))) return false;
    const std::string_view between = path.substr(star + 1, second - star - 1);
    const std::size_t found = asked.find(between, star + 1);
    return found != std::string_view::npos && found + between.size() < asked.size();
}

bool is_under(std::string_view path, std::string_view pattern) {
    const std::string_view parent = pattern.substr(0, pattern.find('*'));
    return path.starts_with(parent) &&
           (parent.ends_with('/') || path.substr(parent.size()).starts_with('/'));
}

}  // namespace

std::string_view Audience::name() const {
    if (kind == Kind::keys) return access::name_of(scope);
    return kind == Kind::everybody ? "everybody" : "admin";
}

bool Endpoint::is_at(std::string_view asked) const {
    const std::size_t star = path.find('*');
    if (star == std::string_view::npos) return asked == path;
    if (const std::size_t second = path.find('*', star + 1); second != std::string_view::npos)
        return is_at_both(asked, path, star, second);
    return asked.size() >= path.size() && asked.starts_with(path.substr(0, star)) &&
           asked.ends_with(path.substr(star + 1));
}

bool Endpoint::takes(std::string_view asked_method) const {
    return asked_method == method || (asked_method == "HEAD" && method == "GET");
}

bool Endpoint::is_essential() const {
    return audience.kind == Audience::Kind::admin || audience.kind == Audience::Kind::scrapers ||
           path.starts_with("/admin/") || path == "/healthz" || path == "/readyz";
}

std::span<const Endpoint> endpoints() { return table; }

FoundEndpoint find_endpoint(std::string_view asked, std::string_view method) {
    const std::string path = plain_path(asked);
    std::string_view at;
    FoundEndpoint found;
    for (const Endpoint& endpoint : table) {
        if (at.empty() ? !endpoint.is_at(path) : endpoint.path != at) continue;
        at = endpoint.path;
        if (endpoint.takes(method)) return {&endpoint};
        found.methods += found.methods.empty() ? "" : ", ";
        found.methods += endpoint.method;
    }
    return found;
}

const Endpoint* nearest_endpoint(std::string_view asked) {
    const std::string path = plain_path(asked);
    auto found =
        std::ranges::find_if(table, [&](const Endpoint& endpoint) { return endpoint.is_at(path); });
    if (found == std::end(table))
        found = std::ranges::find_if(table, [&](const Endpoint& endpoint) {
            return endpoint.api != nullptr && is_under(path, endpoint.path);
        });
    return found == std::end(table) ? nullptr : found;
}

}  // namespace runnel::server
