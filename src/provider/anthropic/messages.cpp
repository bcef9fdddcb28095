#include "provider/anthropic/messages.hpp"

#include "provider/anthropic/ids.hpp"
#include "provider/anthropic/media.hpp"
#include "provider/anthropic/thinking.hpp"
#include "provider/core/tool_arguments.hpp"
#include "provider/core/tool_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace runnel::provider::anthropic {
namespace {

using chat::Part;
using chat::Role;
using CacheMark = std::optional<chat::CacheMark>;

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

bool is_blank(const Part& part) {
    const auto words = part.words();
    return words && is_blank(*words);
}

void begin_text(Draft& draft, std::string_view escaped) {
    draft.writer().begin_object().key("type").string("text").key("text").escaped(escaped);
}

void write_text(Draft& draft, std::string_view escaped, const chat::Extras& extras,
                const CacheMark& mark) {
    begin_text(draft, escaped);
    draft.end_block(extras, mark);
}

// A part's own mark, or for the last part the message's.
const CacheMark& mark_of(const chat::Message& message, const Part& part, const Part* last) {
    return part.cache || &part != last ? part.cache : message.cache;
}

template <class Predicate>
const Part* last_part(const chat::Message& message, Predicate fits) {
    const auto last = std::find_if(message.parts.rbegin(), message.parts.rend(), fits);
    return last == message.parts.rend() ? nullptr : &*last;
}

const Part* last_written(const chat::Message& message) {
    return last_part(message, [](const Part& part) { return !is_blank(part); });
}

class Conversation {
public:
    Conversation(Draft& draft, std::span<const chat::Message> messages, std::string_view owner)
        : draft_(draft),
          writer_(draft.writer()),
          messages_(messages),
          owner_(owner),
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
            turn_ == Turn::none ||
            (turn_ == Turn::assistant && last_turn == LastTurn::user && !is_paused());
        if (wants_user) {
            user_text(turn_ == Turn::none ? placeholder : go_on);
            draft_.warn("added_user_turn");
        }
        close_turn();
        writer_.end_array();
        return {};
    }

private:
    enum class Turn { none, user, assistant, system };

    // Consecutive messages of one role are one turn; what a client says of a message beside its
    // content is said of the turn that it begins.
    void open_turn(Turn turn, const chat::Extras& extras = {}) {
        if (turn_ == turn) return;
        if (turn_ == Turn::none && turn == Turn::assistant) user_text(placeholder);
        close_turn();
        turn_ = turn;
        constexpr std::string_view roles[] = {"", "user", "assistant", "system"};
        writer_.begin_object().key("role").string(roles[static_cast<std::size_t>(turn)]);
        draft_.add_extras(extras);
        writer_.key("content").begin_array();
    }

    void close_turn() {
        if (turn_ != Turn::none) writer_.end_array().end_object();
    }

    // Words that are not the client's.
    void user_text(std::string_view escaped, const CacheMark& mark = {}) {
        open_turn(Turn::user);
        write_text(draft_, escaped, {}, mark);
    }

    // The provider pauses a turn that runs its own tools for long, and goes on where it ended.
    bool is_paused() const {
        return draft_.is_native() &&
               std::ranges::any_of(messages_.back().parts, &Part::is<chat::Other>);
    }

    Result<void> message(std::size_t at, LastTurn last_turn) {
        const chat::Message& here = messages_[at];
        switch (here.role) {
            case Role::system:
            case Role::developer:
                if (draft_.is_native()) return instruction(at);
                reminder(here);
                return {};
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
            const auto words = part.words();
            if (!words || is_blank(*words)) continue;
            user_text(fmt::format(R"(<system-reminder>\n{}\n</system-reminder>)", *words),
                      mark_of(here, part, last_written(here)));
        }
    }

    // Newer models know such messages; who asks for one here knows the model.
    Result<void> instruction(std::size_t at) {
        const chat::Message& here = messages_[at];
        if (last_written(here) == nullptr) return {};
        open_turn(Turn::system, here.extras);
        return blocks(at, last_written(here));
    }

    Result<void> user(std::size_t at) {
        const chat::Message& here = messages_[at];
        const Part* last = last_written(here);
        if (last == nullptr) {
            user_text(placeholder, here.cache);
            return {};
        }
        open_turn(Turn::user, here.extras);
        return blocks(at, last);
    }

    // All parts of a message that has only what users and tools can say. `last` gets its mark.
    Result<void> blocks(std::size_t at, const Part* last) {
        const chat::Message& here = messages_[at];
        for (std::size_t i = 0; i < here.parts.size(); ++i) {
            const Part& part = here.parts[i];
            if (is_blank(part)) continue;
            auto written = block(part, mark_of(here, part, last),
                                 fmt::format("messages[{}].content[{}]", at, i));
            if (!written) return written;
        }
        return {};
    }

    Result<void> block(const Part& part, const CacheMark& mark, const std::string& param) {
        const auto* other = part.as<chat::Other>();
        if (other != nullptr && draft_.is_native()) {
            writer_.raw(other->raw);
            return {};
        }
        if (auto begun = begin_block(part, param); !begun) return begun;
        draft_.end_block(part.extras, mark);
        return {};
    }

    Result<void> begin_block(const Part& part, const std::string& param) {
        if (const auto words = part.words()) {
            begin_text(draft_, *words);
            return {};
        }
        if (const auto* image = part.as<chat::Image>()) return begin_image(draft_, *image, param);
        if (const auto* file = part.as<chat::File>()) return begin_document(draft_, *file, param);
        const std::string_view what = part.is<chat::Audio>()   ? "audio, which"
                                      : part.is<chat::Video>() ? "video, which"
                                                               : "of a type that";
        return fail_at(ErrorKind::unsupported_parameter, param,
                       fmt::format("{} is {} Anthropic does not take", param, what));
    }

    Result<void> assistant(std::size_t at, LastTurn last_turn) {
        const chat::Message& here = messages_[at];
        const auto is_said = [&](const Part& part) { return is_answer(part); };
        // A turn may not consist of thinking only.
        if (std::ranges::none_of(here.parts, is_said)) return {};
        open_turn(Turn::assistant, here.extras);
        const Part* last = last_part(here, is_markable);
        const bool is_prefill =
            last_turn == LastTurn::any && at + 1 == messages_.size() && !here.has_calls();
        const auto kept = kept_thinking(here, owner_);
        auto next = kept.begin();
        for (const Part& part : here.parts) {
            // The first thinking came before anything was said.
            const bool due = next != kept.end() &&
                             (next == kept.begin() || next->before == part.as<chat::ToolCall>());
            if (due) writer_.raw((next++)->blocks);
            answer_part(part, mark_of(here, part, last),
                        is_prefill && &part == last ? TextEnd::trimmed : TextEnd::as_it_is);
        }
        return here.has_calls() ? results_of(at) : Result<void>{};
    }

    // Something that a turn may consist of.
    bool is_answer(const Part& part) const {
        return is_markable(part) || (part.is<chat::Other>() && draft_.is_native());
    }

    // A part of an answer that may have a cache mark.
    static bool is_markable(const Part& part) {
        return part.is<chat::ToolCall>() || (part.words() && !is_blank(part));
    }

    // The beginning of an answer may not end with white space.
    enum class TextEnd { as_it_is, trimmed };

    void answer_part(const Part& part, const CacheMark& mark, TextEnd end) {
        if (auto words = part.words()) {
            if (is_blank(*words)) return;
            if (end == TextEnd::trimmed) words->remove_suffix(trailing_space(*words));
            write_text(draft_, *words, part.extras, mark);
        } else if (const auto* tool_call = part.as<chat::ToolCall>()) {
            call(*tool_call, part, mark);
        } else if (part.is<chat::Reasoning>()) {
            if (const auto* reasoning = signed_reasoning(part, owner_))
                append_thinking(draft_.body(), *reasoning);
        } else if (is_answer(part)) {
            writer_.raw(part.as<chat::Other>()->raw);
        } else {
            draft_.warn("dropped_content_part");
        }
    }

    void call(const chat::ToolCall& here, const Part& part, const CacheMark& mark) {
        writer_.begin_object().key("type").string("tool_use");
        writer_.key("id").string(native_call_id(here.id));
        writer_.key("name").string(ToolNames(tool_name_rule).sent(here.name));
        writer_.key("input").raw(arguments_object(here));
        draft_.end_block(part.extras, mark);
    }

    Result<void> results_of(std::size_t at) {
        open_turn(Turn::user);
        for (const Part& part : messages_[at].parts) {
            const auto* here = part.as<chat::ToolCall>();
            if (here == nullptr) continue;
            if (auto written = result(here->id, results_.take(at, here->id)); !written)
                return written;
        }
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
        if (here.failed == chat::Wish::yes) writer_.key("is_error").boolean(true);
        draft_.end_block(here.extras, here.cache);
        return {};
    }

    Result<void> result_content(std::size_t at) {
        const chat::Message& here = messages_[at];
        const Part* last = last_written(here);
        if (last == nullptr) {
            // Of a failure the API wants to hear something.
            if (here.failed == chat::Wish::yes) writer_.key("content").escaped(placeholder);
            return {};
        }
        const bool plain = here.parts.size() == 1 && !last->cache && last->extras.empty();
        if (const auto words = last->words(); plain && words) {
            writer_.key("content").escaped(*words);
            return {};
        }
        writer_.key("content").begin_array();
        if (auto written = blocks(at, nullptr); !written) return written;
        writer_.end_array();
        return {};
    }

    // A result of a call that is not in the conversation can only be told.
    Result<void> orphan(std::size_t at) {
        if (last_written(messages_[at]) == nullptr) return {};
        user_text("The result of an earlier tool call:");
        return user(at);
    }

    Draft& draft_;
    json::Writer writer_;
    std::span<const chat::Message> messages_;
    std::string_view owner_;
    ToolResults results_;
    Turn turn_ = Turn::none;
};

}  // namespace

void write_system(Draft& draft, std::span<const chat::Message> messages,
                  std::string_view instruction) {
    json::Writer writer = draft.writer();
    bool open = false;
    const auto block = [&](std::string_view escaped, const chat::Extras& extras,
                           const CacheMark& mark) {
        if (!open) writer.key("system").begin_array();
        open = true;
        write_text(draft, escaped, extras, mark);
    };
    for (const chat::Message& message : messages) {
        if (!is_system(message)) break;
        for (const Part& part : message.parts) {
            const auto* other = part.as<chat::Other>();
            if (const auto words = part.words(); words && !is_blank(*words)) {
                block(*words, part.extras, mark_of(message, part, last_written(message)));
            } else if (other != nullptr && draft.is_native()) {
                if (!open) writer.key("system").begin_array();
                open = true;
                writer.raw(other->raw);
            }
        }
    }
    if (!instruction.empty()) block(instruction, {}, {});
    if (open) writer.end_array();
}

Result<void> write_messages(Draft& draft, std::span<const chat::Message> messages,
                            std::string_view owner, LastTurn last_turn) {
    return Conversation(draft, messages, owner).write(last_turn);
}

}  // namespace runnel::provider::anthropic
