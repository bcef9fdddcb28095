#include "provider/gemini/contents.hpp"

#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"
#include "provider/core/inline_data.hpp"
#include "provider/core/json_fields.hpp"
#include "provider/core/tool_arguments.hpp"
#include "provider/core/tool_results.hpp"
#include "provider/core/warnings.hpp"
#include "provider/gemini/media.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace runnel::provider::gemini {
namespace {

using chat::Message;
using chat::Part;
using chat::Role;

constexpr std::size_t minted_id_length = 24;

bool is_system(const Message& message) {
    return message.role == Role::system || message.role == Role::developer;
}

bool has_words(const Part& part) { return !part.words().value_or("").empty(); }

// The signature in what the wire kept of a call, escaped; empty when there is none.
std::string signature_in(std::string_view state_raw) {
    std::string text(state_raw);
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    if (parser.parse(Padded::of(text), document) || document.get_object().get(object)) return {};
    std::string_view signature;
    for_each_field(object, [&](std::string_view name, json::ondemand::value field) {
        if (name == "thoughtSignature") json::escaped_string(field, signature);
    });
    return std::string(signature);
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
        // Somebody must have said something, and nothing is no text to Gemini.
        if (!has_turns_) {
            open_turn(Turn::user);
            writer_.begin_object().key("text").string(" ").end_object();
        }
        close_turn();
        writer_.end_array();
        return {};
    }

private:
    // Results have a turn of their own, though its role is `user` too.
    enum class Turn { none, user, model, results };

    // Gemini refuses a conversation that ends with the beginning of its answer.
    static bool is_prefill(const Message& message) {
        return message.role == Role::assistant && !message.has_calls();
    }

    // Returns how many messages it took. Where a model has no system instruction, or nothing else
    // is said at all, the system's words are a user's.
    std::size_t write_system() {
        std::size_t leading = 0;
        while (leading < messages_.size() && is_system(messages_[leading])) ++leading;
        if (audience_.model.gemma || leading == messages_.size()) leading = 0;
        bool any = !audience_.instruction.empty();
        for (std::size_t i = 0; i < leading; ++i)
            any = any || std::ranges::any_of(messages_[i].parts, has_words);
        if (!any) return leading;
        writer_.key("systemInstruction").begin_object().key("parts").begin_array();
        for (std::size_t i = 0; i < leading; ++i)
            for (const Part& part : messages_[i].parts)
                if (has_words(part)) write_text(part);
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
        for (std::size_t i = 0; i < message.parts.size(); ++i)
            if (auto written = write_part(Turn::user, at, i); !written) return written;
        return {};
    }

    Result<void> write_part(Turn turn, std::size_t at, std::size_t index) {
        const Part& part = messages_[at].parts[index];
        if (is_silent(part)) return {};
        open_turn(turn);
        if (part.words()) {
            write_text(part);
            return {};
        }
        return write_media_part(part, fmt::format("messages[{}].content[{}]", at, index));
    }

    // Gemini signs its texts too, and the signature may come with an empty one.
    bool is_silent(const Part& part) const {
        return part.words() && !has_words(part) && !(audience_.is_native && !part.extras.empty());
    }

    void write_text(const Part& part) {
        writer_.begin_object().key("text").escaped(*part.words());
        end_part(part);
    }

    Result<void> write_media_part(const Part& part, const std::string& param) {
        const auto* other = part.as<chat::Other>();
        if (other != nullptr && audience_.is_native) {
            writer_.raw(other->raw);
            return {};
        }
        writer_.begin_object();
        if (auto written = write_media(writer_, part, param); !written) return written;
        end_part(part);
        return {};
    }

    void end_part(const Part& part) {
        write_extras(part.extras);
        writer_.end_object();
    }

    void write_extras(const chat::Extras& extras) {
        if (!audience_.is_native) return;
        for (const chat::Extra& extra : extras) writer_.key(extra.name).raw(extra.raw);
    }

    Result<void> write_answer(std::size_t at) {
        const std::vector<Part>& parts = messages_[at].parts;
        std::size_t calls = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (const auto* call = parts[i].as<chat::ToolCall>()) {
                open_turn(Turn::model);
                write_call(parts[i], *call, signature_of(*call, calls++));
            } else if (const auto* reasoning = parts[i].as<chat::Reasoning>()) {
                write_thought(parts[i], *reasoning);
            } else if (auto written = write_part(Turn::model, at, i); !written) {
                return written;
            }
        }
        return calls == 0 ? Result<void>{} : write_results(at);
    }

    // Thoughts go back where Gemini signed them; those of others mean nothing to it.
    void write_thought(const Part& part, const chat::Reasoning& reasoning) {
        const bool is_own = reasoning.issuer == "gemini" || reasoning.issuer == audience_.owner;
        if (!is_own || reasoning.signature_escaped.empty()) return;
        open_turn(Turn::model);
        writer_.begin_object().key("text").escaped(reasoning.text_escaped);
        writer_.key("thought").boolean(true);
        writer_.key("thoughtSignature").escaped(reasoning.signature_escaped);
        end_part(part);
    }

    void write_call(const Part& part, const chat::ToolCall& call, std::string_view signature) {
        writer_.begin_object().key("functionCall").begin_object();
        write_id(call.id);
        writer_.key("name").string(names_.sent(call.name));
        writer_.key("args").raw(arguments_object(call));
        writer_.end_object();
        if (!signature.empty()) writer_.key("thoughtSignature").escaped(signature);
        end_part(part);
    }

    // Escaped. `index` counts the calls of one message.
    std::string signature_of(const chat::ToolCall& call, std::size_t index) const {
        if (call.state && call.state->owner == audience_.owner)
            if (std::string kept = signature_in(call.state->raw); !kept.empty()) return kept;
        if (!call.signature_escaped.empty()) return std::string(call.signature_escaped);
        // Of several calls only the first is signed.
        const bool needs_one = index == 0 && audience_.model.signs_calls();
        return needs_one ? std::string(any_signature) : std::string();
    }

    Result<void> write_results(std::size_t at) {
        open_turn(Turn::results);
        std::vector<std::size_t> found;
        for (const Part& part : messages_[at].parts) {
            const auto* call = part.as<chat::ToolCall>();
            if (call == nullptr) continue;
            const auto result = results_.take(at, call->id);
            if (result) found.push_back(*result);
            if (auto written = write_result(*call, result); !written) return written;
        }
        if (audience_.model.signs_calls()) return {};
        // Older models take what is no text beside the results, not inside of them.
        for (const std::size_t result : found)
            if (auto written = write_result_media(result); !written) return written;
        return {};
    }

    void write_id(std::string_view id) {
        if (!audience_.model.signs_calls()) return;
        if (const std::string native = native_call_id(id); !native.empty())
            writer_.key("id").string(native);
    }

    Result<void> write_result(const chat::ToolCall& call, std::optional<std::size_t> at) {
        writer_.begin_object().key("functionResponse").begin_object();
        write_id(call.id);
        writer_.key("name").string(names_.sent(call.name)).key("response").begin_object();
        if (!at) {
            warn("missing_tool_result");
            writer_.key("error").string(no_result).end_object();
        } else if (auto written = write_result_content(messages_[*at], *at); !written) {
            return written;
        }
        writer_.end_object().end_object();
        return {};
    }

    // Ends the response that has been begun.
    Result<void> write_result_content(const Message& result, std::size_t at) {
        std::string text;
        for (const Part& part : result.parts)
            if (is_words(part)) append_words(text, part);
        if (result.failed == chat::Wish::yes) {
            writer_.key("error").escaped(text).end_object();
        } else {
            writer_.key("output").escaped(text).end_object();
        }
        if (audience_.model.signs_calls() && has_media(result)) {
            writer_.key("parts").begin_array();
            if (auto written = write_result_media(at); !written) return written;
            writer_.end_array();
        }
        write_extras(result.extras);
        return {};
    }

    static bool has_media(const Message& message) {
        return !std::ranges::all_of(message.parts, is_words);
    }

    Result<void> write_result_media(std::size_t at) {
        for (const Part& part : messages_[at].parts) {
            if (is_words(part)) continue;
            const std::string param = fmt::format("messages[{}].content", at);
            if (auto written = write_media_part(part, param); !written) return written;
        }
        return {};
    }

    void open_turn(Turn turn) {
        if (turn_ == turn) return;
        close_turn();
        turn_ = turn;
        has_turns_ = true;
        writer_.begin_object().key("role").string(turn == Turn::model ? "model" : "user");
        writer_.key("parts").begin_array();
    }

    void close_turn() {
        if (turn_ != Turn::none) writer_.end_array().end_object();
        turn_ = Turn::none;
    }

    void warn(std::string_view word) { add_warning(warnings_, word); }

    json::Writer writer_;
    const std::vector<Message>& messages_;
    const Audience& audience_;
    std::vector<std::string>& warnings_;
    ToolResults results_;
    ToolNames names_{tool_name_rule};
    Turn turn_ = Turn::none;
    bool has_turns_ = false;
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
