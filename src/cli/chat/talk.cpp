#include "cli/chat/talk.hpp"

#include "base/percent_encoding.hpp"
#include "json/writer.hpp"

#include <array>
#include <string>

namespace runnel::cli {
namespace {

using Request = GatewayClient::Request;
using Role = Conversation::Turn::Role;

constexpr std::int64_t messages_max_tokens = 16'384;  // that API wants to be told

std::string_view word_for(Role role) { return role == Role::user ? "user" : "assistant"; }

void write_message(json::Writer& out, std::string_view role, const std::string& text) {
    out.begin_object().key("role").string(role).key("content").string(text).end_object();
}

void write_turns(json::Writer& out, const Conversation& conversation) {
    for (const Conversation::Turn& turn : conversation.turns)
        write_message(out, word_for(turn.role), turn.text);
}

Request post(std::string path, std::string body) {
    return {.method = "POST", .path = std::move(path), .body = std::move(body)};
}

// With all that the gateway does on the way.
Request ask_chat(const Conversation& conversation) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("model").string(conversation.model).key("stream").boolean(true);
    out.key("servertool_results").boolean(true).key("messages").begin_array();
    if (!conversation.system.empty()) write_message(out, "system", conversation.system);
    write_turns(out, conversation);
    out.end_array().end_object();
    Request request = post("/v1/chat/completions", std::move(body));
    request.dialect = "timeline";
    return request;
}

Request ask_messages(const Conversation& conversation) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("model").string(conversation.model).key("stream").boolean(true);
    out.key("max_tokens").number(messages_max_tokens);
    if (!conversation.system.empty()) out.key("system").string(conversation.system);
    out.key("messages").begin_array();
    write_turns(out, conversation);
    out.end_array().end_object();
    return post("/v1/messages", std::move(body));
}

// The whole conversation is sent each time, so nothing needs to be kept.
Request ask_responses(const Conversation& conversation) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("model").string(conversation.model).key("stream").boolean(true);
    out.key("store").boolean(false);
    if (!conversation.system.empty()) out.key("instructions").string(conversation.system);
    out.key("input").begin_array();
    write_turns(out, conversation);
    out.end_array().end_object();
    return post("/v1/responses", std::move(body));
}

void write_gemini_parts(json::Writer& out, const std::string& text) {
    out.key("parts").begin_array().begin_object().key("text").string(text);
    out.end_object().end_array();
}

Request ask_gemini(const Conversation& conversation) {
    std::string body;
    json::Writer out(body);
    out.begin_object();
    if (!conversation.system.empty()) {
        out.key("systemInstruction").begin_object();
        write_gemini_parts(out, conversation.system);
        out.end_object();
    }
    out.key("contents").begin_array();
    for (const Conversation::Turn& turn : conversation.turns) {
        out.begin_object().key("role").string(turn.role == Role::user ? std::string_view("user")
                                                                      : std::string_view("model"));
        write_gemini_parts(out, turn.text);
        out.end_object();
    }
    out.end_array().key("generationConfig").begin_object().key("thinkingConfig").begin_object();
    out.key("includeThoughts").boolean(true).end_object().end_object().end_object();
    return post("/v1beta/models/" + percent_encoded(conversation.model, "/:@") +
                    ":streamGenerateContent?alt=sse",
                std::move(body));
}

}  // namespace

std::span<const ChatTalk> chat_talks() {
    static constexpr std::array talks{
        ChatTalk{"chat", ask_chat, read_chat_frame},
        ChatTalk{"messages", ask_messages, read_messages_frame},
        ChatTalk{"responses", ask_responses, read_responses_frame},
        ChatTalk{"gemini", ask_gemini, read_gemini_frame},
    };
    return talks;
}

}  // namespace runnel::cli
