#include "provider/gemini_contents.hpp"

#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"
#include "provider/gemini_media.hpp"
#include "provider/json_fields.hpp"
#include "provider/tool_arguments.hpp"
#include "provider/tool_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace runnel::provider::gemini {
namespace {

using chat::Message;
using chat::Part;
using chat::Role;
using json::ondemand::value;

constexpr std::size_t minted_id_length = 24;

bool is_system(const Message& message) {
    return message.role == Role::system || message.role == Role::developer;
}

bool is_text(const Part& part) {
    return part.kind == Part::Kind::text || part.kind == Part::Kind::refusal;
}

// The string at `path` in a small JSON text; empty when there is none.
std::string string_at(std::string_view raw, std::initializer_list<std::string_view> path) {
    std::string text(raw);
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    if (parser.parse(Padded::of(text), document) || document.get_object().get(object)) return {};
    std::string found;
    for (const std::string_view* step = path.begin(); step != path.end(); ++step) {
        value inside;
        if (object.find_field_unordered(*step).get(inside)) return {};
        if (step + 1 == path.end()) {
            json::plain_string(inside, found);
        } else if (inside.get_object().get(object)) {
            return {};
        }
    }
    return found;
}

class Conversation {
public:
    Conversation(std::string& body, const std::vector<Message>& messages, const Audience& audience,
                 std::vector<std::string>& warnings)
        : writer_(body),
          messages_(messages),
          audience_(audience),
          warnings_(warnings),
          results_(messages) {}

    Result<void> write() {
        const std::size_t leading = write_system();
        std::size_t end = messages_.size();
        while (end > leading && is_prefill(messages_[end - 1])) --end;
        if (end < messages_.size()) warn("dropped_assistant_prefill");
        writer_.key("contents").begin_array();
        for (std::size_t i = leading; i < end; ++i)
            if (auto written = write_message(i); !written) return written;
        close_turn();
        writer_.end_array();
        return {};
    }

private:
    // Results have a turn of their own, though its role is `user` too.
    enum class Turn { none, user, model, results };

    // Gemini refuses a conversation that ends with the beginning of its answer.
    static bool is_prefill(const Message& message) {
        return message.role == Role::assistant && message.tool_calls.empty();
    }

    // Returns how many messages it took. Where a model has no system instruction, or nothing else
    // is said at all, the system's words are a user's.
    std::size_t write_system() {
        std::size_t leading = 0;
        while (leading < messages_.size() && is_system(messages_[leading])) ++leading;
        if (audience_.model.gemma || leading == messages_.size()) leading = 0;
        bool any = !audience_.instruction.empty();
        for (std::size_t i = 0; i < leading; ++i)
            any = any || std::ranges::any_of(messages_[i].parts, [](const Part& part) {
                      return is_text(part) && !part.text_escaped.empty();
                  });
        if (!any) return leading;
        writer_.key("systemInstruction").begin_object().key("parts").begin_array();
        for (std::size_t i = 0; i < leading; ++i)
            for (const Part& part : messages_[i].parts) write_text(part);
        if (!audience_.instruction.empty())
            writer_.begin_object().key("text").string(audience_.instruction).end_object();
        writer_.end_array().end_object();
        return leading;
    }

    Result<void> write_message(std::size_t at) {
        const Message& message = messages_[at];
        if (message.role == Role::assistant) return write_answer(at);
        if (message.role == Role::tool && results_.taken(at)) return {};
        // A later system message, and a result that nobody asked for, have no place but the user's.
        return write_parts(Turn::user, at);
    }

    Result<void> write_parts(Turn turn, std::size_t at) {
        const std::vector<Part>& parts = messages_[at].parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (is_text(parts[i])) {
                if (parts[i].text_escaped.empty()) continue;
                open_turn(turn);
                write_text(parts[i]);
                continue;
            }
            open_turn(turn);
            const std::string param = fmt::format("messages[{}].content[{}]", at, i);
            if (auto written = write_media(writer_, parts[i], param); !written) return written;
        }
        return {};
    }

    void write_text(const Part& part) {
        if (!is_text(part) || part.text_escaped.empty()) return;
        writer_.begin_object().key("text").escaped(part.text_escaped).end_object();
    }

    Result<void> write_answer(std::size_t at) {
        const Message& message = messages_[at];
        if (auto written = write_parts(Turn::model, at); !written) return written;
        if (message.tool_calls.empty()) return {};
        open_turn(Turn::model);
        for (std::size_t i = 0; i < message.tool_calls.size(); ++i) write_call(message, i);
        open_turn(Turn::results);
        std::vector<std::size_t> found;
        for (const chat::ToolCall& call : message.tool_calls) {
            const auto result = results_.take(at, call.id);
            if (result) found.push_back(*result);
            if (auto written = write_result(call, result); !written) return written;
        }
        if (audience_.model.signs_calls()) return {};
        // Older models take what is no text beside the results, not inside of them.
        for (const std::size_t result : found)
            if (auto written = write_result_media(result); !written) return written;
        return {};
    }

    void write_call(const Message& message, std::size_t index) {
        const chat::ToolCall& call = message.tool_calls[index];
        writer_.begin_object().key("functionCall").begin_object();
        write_id(call.id);
        writer_.key("name").string(call.name);
        writer_.key("args").raw(arguments_object(call.arguments_escaped));
        writer_.end_object();
        std::string signature = signature_of(message, index);
        // Of several calls only the first is signed.
        if (signature.empty() && index == 0 && audience_.model.signs_calls())
            signature = any_signature;
        if (!signature.empty()) writer_.key("thoughtSignature").string(signature);
        writer_.end_object();
    }

    std::string signature_of(const Message& message, std::size_t index) const {
        if (index < message.kept_state.size() &&
            message.kept_state[index].owner == audience_.owner) {
            std::string kept = string_at(message.kept_state[index].raw, {"thoughtSignature"});
            if (!kept.empty()) return kept;
        }
        const std::string_view extra = message.tool_calls[index].extra_content_raw;
        return extra.empty() ? "" : string_at(extra, {"google", "thought_signature"});
    }

    void write_id(std::string_view id) {
        if (!audience_.model.signs_calls()) return;
        if (const std::string native = native_call_id(id); !native.empty())
            writer_.key("id").string(native);
    }

    Result<void> write_result(const chat::ToolCall& call, std::optional<std::size_t> at) {
        writer_.begin_object().key("functionResponse").begin_object();
        write_id(call.id);
        writer_.key("name").string(call.name).key("response").begin_object();
        if (!at) {
            warn("missing_tool_result");
            writer_.key("error").string(no_result).end_object();
        } else {
            std::string text;
            for (const Part& part : messages_[*at].parts)
                if (is_text(part)) text += part.text_escaped;
            writer_.key("output").escaped(text).end_object();
            if (audience_.model.signs_calls() && has_media(*at)) {
                writer_.key("parts").begin_array();
                if (auto written = write_result_media(*at); !written) return written;
                writer_.end_array();
            }
        }
        writer_.end_object().end_object();
        return {};
    }

    bool has_media(std::size_t at) const {
        return !std::ranges::all_of(messages_[at].parts, is_text);
    }

    Result<void> write_result_media(std::size_t at) {
        for (const Part& part : messages_[at].parts) {
            if (is_text(part)) continue;
            const std::string param = fmt::format("messages[{}].content", at);
            if (auto written = write_media(writer_, part, param); !written) return written;
        }
        return {};
    }

    void open_turn(Turn turn) {
        if (turn_ == turn) return;
        close_turn();
        turn_ = turn;
        writer_.begin_object().key("role").string(turn == Turn::model ? "model" : "user");
        writer_.key("parts").begin_array();
    }

    void close_turn() {
        if (turn_ != Turn::none) writer_.end_array().end_object();
        turn_ = Turn::none;
    }

    void warn(std::string_view word) {
        if (std::ranges::find(warnings_, word) == warnings_.end()) warnings_.emplace_back(word);
    }

    json::Writer writer_;
    const std::vector<Message>& messages_;
    const Audience& audience_;
    std::vector<std::string>& warnings_;
    ToolResults results_;
    Turn turn_ = Turn::none;
};

}  // namespace

Result<void> write_conversation(std::string& body, const std::vector<Message>& messages,
                                const Audience& audience, std::vector<std::string>& warnings) {
    return Conversation(body, messages, audience, warnings).write();
}

std::string native_call_id(std::string_view id) {
    if (!id.starts_with(call_id_prefix)) return {};
    id.remove_prefix(call_id_prefix.size());
    const bool minted = id.size() == minted_id_length && std::ranges::all_of(id, [](char c) {
                            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
                        });
    return minted ? std::string() : std::string(id);
}

}  // namespace runnel::provider::gemini
