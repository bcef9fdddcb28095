#include "provider/anthropic_messages.hpp"

#include "provider/anthropic_ids.hpp"
#include "provider/anthropic_media.hpp"
#include "provider/tool_arguments.hpp"
#include "provider/tool_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace runnel::provider::anthropic {
namespace {

using chat::Part;
using chat::Role;

// For turns that the API wants and the client has no words for.
constexpr std::string_view placeholder = ".";
constexpr std::string_view go_on = "Continue.";

bool is_system(const chat::Message& message) {
    return message.role == Role::system || message.role == Role::developer;
}

// The length of the white space that `escaped` ends with.
std::size_t trailing_space(std::string_view escaped) {
    std::size_t end = escaped.size();
    while (end > 0) {
        if (escaped[end - 1] == ' ') {
            --end;
            continue;
        }
        if (end < 2 || std::string_view("ntr").find(escaped[end - 1]) == std::string_view::npos)
            break;
        // \n is white space, \\n is a backslash and a letter.
        const std::size_t before = escaped.substr(0, end - 1).find_last_not_of('\\');
        const std::size_t first_backslash = before == std::string_view::npos ? 0 : before + 1;
        if ((end - 1 - first_backslash) % 2 == 0) break;
        end -= 2;
    }
    return escaped.size() - end;
}

// The API refuses text blocks without anything but white space.
bool is_blank(std::string_view escaped) { return trailing_space(escaped) == escaped.size(); }

bool is_text(const Part& part) {
    return part.kind == Part::Kind::text || part.kind == Part::Kind::refusal;
}

bool is_empty(const Part& part) { return is_text(part) && is_blank(part.text_escaped); }

void write_text(Draft& draft, std::string_view escaped, std::string_view mark_raw) {
    json::Writer writer = draft.writer();
    writer.begin_object().key("type").string("text").key("text").escaped(escaped);
    draft.mark(mark_raw);
    writer.end_object();
}

// A part's own mark, or for the last part the message's.
std::string_view mark_of(const chat::Message& message, const Part& part, const Part* last) {
    if (!part.cache_control_raw.empty() || &part != last) return part.cache_control_raw;
    return message.cache_control_raw;
}

template <class Predicate>
const Part* last_part(const chat::Message& message, Predicate fits) {
    const auto last = std::find_if(message.parts.rbegin(), message.parts.rend(), fits);
    return last == message.parts.rend() ? nullptr : &*last;
}

const Part* last_written(const chat::Message& message) {
    return last_part(message, [](const Part& part) { return !is_empty(part); });
}

const Part* last_text(const chat::Message& message) {
    return last_part(message, [](const Part& part) { return is_text(part) && !is_empty(part); });
}

class Conversation {
public:
    Conversation(Draft& draft, std::span<const chat::Message> messages,
                 std::span<const std::string> thinking)
        : draft_(draft),
          writer_(draft.writer()),
          messages_(messages),
          thinking_(thinking),
          results_(messages) {}

    Result<void> write(LastTurn last_turn) {
        writer_.key("messages").begin_array();
        bool leading = true;
        for (std::size_t i = 0; i < messages_.size(); ++i) {
            leading = leading && is_system(messages_[i]);
            if (leading) continue;
            if (auto written = message(i, last_turn); !written) return written;
        }
        const bool wants_user =
            turn_ == Turn::none || (turn_ == Turn::assistant && last_turn == LastTurn::user);
        if (wants_user) {
            text(Turn::user, turn_ == Turn::none ? placeholder : go_on, {});
            draft_.warn("added_user_turn");
        }
        close_turn();
        writer_.end_array();
        return {};
    }

private:
    enum class Turn { none, user, assistant };

    // Consecutive messages of one role are one turn.
    void open_turn(Turn turn) {
        if (turn_ == turn) return;
        if (turn_ == Turn::none && turn == Turn::assistant) text(Turn::user, placeholder, {});
        close_turn();
        turn_ = turn;
        writer_.begin_object().key("role").string(turn == Turn::user ? "user" : "assistant");
        writer_.key("content").begin_array();
    }

    void close_turn() {
        if (turn_ != Turn::none) writer_.end_array().end_object();
    }

    void text(Turn turn, std::string_view escaped, std::string_view mark_raw) {
        open_turn(turn);
        write_text(draft_, escaped, mark_raw);
    }

    Result<void> message(std::size_t at, LastTurn last_turn) {
        const chat::Message& here = messages_[at];
        switch (here.role) {
            case Role::system:
            case Role::developer: reminder(here); return {};
            case Role::user: return user(at);
            case Role::assistant: return assistant(at, last_turn);
            case Role::tool: break;
        }
        return results_.taken(at) ? Result<void>{} : orphan(at);
    }

    // Lifting a later system message to the top would change what it means, and the cached
    // beginning with it.
    void reminder(const chat::Message& here) {
        for (const Part& part : here.parts) {
            if (!is_text(part) || is_empty(part)) continue;
            text(Turn::user,
                 fmt::format(R"(<system-reminder>\n{}\n</system-reminder>)", part.text_escaped),
                 mark_of(here, part, last_written(here)));
        }
    }

    Result<void> user(std::size_t at) {
        const chat::Message& here = messages_[at];
        const Part* last = last_written(here);
        if (last == nullptr) text(Turn::user, placeholder, here.cache_control_raw);
        for (std::size_t i = 0; i < here.parts.size(); ++i) {
            if (is_empty(here.parts[i])) continue;
            open_turn(Turn::user);
            auto written = part(here.parts[i], mark_of(here, here.parts[i], last),
                                fmt::format("messages[{}].content[{}]", at, i));
            if (!written) return written;
        }
        return {};
    }

    Result<void> part(const Part& here, std::string_view mark_raw, const std::string& param) {
        switch (here.kind) {
            case Part::Kind::text:
            case Part::Kind::refusal: write_text(draft_, here.text_escaped, mark_raw); return {};
            case Part::Kind::image:
            case Part::Kind::file: return write_media(draft_, here, mark_raw, param);
            case Part::Kind::audio:
                return fail_at(ErrorKind::unsupported_parameter, param,
                               fmt::format("{} is audio, which Anthropic does not take", param));
            case Part::Kind::other: break;
        }
        return fail_at(ErrorKind::unsupported_parameter, param,
                       fmt::format("{} is of a type that Anthropic does not take", param));
    }

    Result<void> assistant(std::size_t at, LastTurn last_turn) {
        const chat::Message& here = messages_[at];
        const Part* last = last_text(here);
        // A turn may not consist of thinking only.
        if (last == nullptr && here.tool_calls.empty()) return {};
        if (!thinking_[at].empty()) {
            open_turn(Turn::assistant);
            writer_.raw(thinking_[at]);
        }
        const bool last_message = at + 1 == messages_.size() && here.tool_calls.empty();
        for (const Part& part : here.parts) {
            if (!is_text(part)) draft_.warn("dropped_content_part");
            if (!is_text(part) || is_empty(part)) continue;
            std::string_view body = part.text_escaped;
            // The beginning of an answer may not end with white space.
            if (last_message && last_turn == LastTurn::any && &part == last)
                body.remove_suffix(trailing_space(body));
            const bool marks_here = here.tool_calls.empty();
            text(Turn::assistant, body, mark_of(here, part, marks_here ? last : nullptr));
        }
        return here.tool_calls.empty() ? Result<void>{} : calls(at);
    }

    Result<void> calls(std::size_t at) {
        const chat::Message& here = messages_[at];
        open_turn(Turn::assistant);
        for (const chat::ToolCall& call : here.tool_calls) {
            writer_.begin_object().key("type").string("tool_use");
            writer_.key("id")
                .string(native_call_id(call.id))
                .key("name")
                .string(legal_name(call.name));
            writer_.key("input").raw(arguments_object(call.arguments_escaped));
            if (&call == &here.tool_calls.back()) draft_.mark(here.cache_control_raw);
            writer_.end_object();
        }
        open_turn(Turn::user);
        for (const chat::ToolCall& call : here.tool_calls)
            if (auto written = result(call.id, results_.take(at, call.id)); !written)
                return written;
        return {};
    }

    Result<void> result(const std::string& id, std::optional<std::size_t> at) {
        writer_.begin_object().key("type").string("tool_result");
        writer_.key("tool_use_id").string(native_call_id(id));
        if (!at) {
            writer_.key("content").string(no_result).end_object();
            draft_.warn("missing_tool_result");
            return {};
        }
        const chat::Message& here = messages_[*at];
        if (auto written = result_content(*at); !written) return written;
        draft_.mark(here.cache_control_raw);
        writer_.end_object();
        return {};
    }

    Result<void> result_content(std::size_t at) {
        const chat::Message& here = messages_[at];
        if (last_written(here) == nullptr) return {};
        if (here.parts.size() == 1 && is_text(here.parts[0]) &&
            here.parts[0].cache_control_raw.empty()) {
            writer_.key("content").escaped(here.parts[0].text_escaped);
            return {};
        }
        writer_.key("content").begin_array();
        for (std::size_t i = 0; i < here.parts.size(); ++i) {
            if (is_empty(here.parts[i])) continue;
            auto written = part(here.parts[i], here.parts[i].cache_control_raw,
                                fmt::format("messages[{}].content[{}]", at, i));
            if (!written) return written;
        }
        writer_.end_array();
        return {};
    }

    // A result of a call that is not in the conversation can only be told.
    Result<void> orphan(std::size_t at) {
        if (last_written(messages_[at]) == nullptr) return {};
        text(Turn::user, "The result of an earlier tool call:", {});
        return user(at);
    }

    Draft& draft_;
    json::Writer writer_;
    std::span<const chat::Message> messages_;
    std::span<const std::string> thinking_;
    ToolResults results_;
    Turn turn_ = Turn::none;
};

}  // namespace

void write_system(Draft& draft, std::span<const chat::Message> messages,
                  std::string_view instruction) {
    json::Writer writer = draft.writer();
    bool open = false;
    const auto block = [&](std::string_view escaped, std::string_view mark_raw) {
        if (!open) writer.key("system").begin_array();
        open = true;
        write_text(draft, escaped, mark_raw);
    };
    for (const chat::Message& message : messages) {
        if (!is_system(message)) break;
        for (const Part& part : message.parts)
            if (is_text(part) && !is_empty(part))
                block(part.text_escaped, mark_of(message, part, last_written(message)));
    }
    if (!instruction.empty()) block(instruction, {});
    if (open) writer.end_array();
}

Result<void> write_messages(Draft& draft, std::span<const chat::Message> messages,
                            std::span<const std::string> thinking, LastTurn last_turn) {
    return Conversation(draft, messages, thinking).write(last_turn);
}

}  // namespace runnel::provider::anthropic
