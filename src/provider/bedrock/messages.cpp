#include "provider/bedrock/messages.hpp"

#include "provider/anthropic/ids.hpp"
#include "provider/anthropic/thinking.hpp"
#include "provider/bedrock/media.hpp"
#include "provider/bedrock/model.hpp"
#include "provider/bedrock/reasoning_state.hpp"
#include "provider/core/tool_arguments.hpp"
#include "provider/core/tool_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace runnel::provider::bedrock {
namespace {

using anthropic::native_call_id;
using chat::Part;
using chat::Role;
using CacheMark = std::optional<chat::CacheMark>;

// For turns that the API wants and the client has no words for.
constexpr std::string_view placeholder = ".";
constexpr std::string_view go_on = "Continue.";

bool is_system(const chat::Message& message) {
    return message.role == Role::system || message.role == Role::developer;
}

// Nothing but white space, which the API refuses. \n, \r and \t are the escapes of it.
bool is_blank(std::string_view escaped) {
    for (std::size_t i = 0; i < escaped.size(); ++i) {
        if (escaped[i] == ' ') continue;
        const bool is_escape = escaped[i] == '\\' && i + 1 < escaped.size();
        if (!is_escape || !std::string_view("nrt").contains(escaped[i + 1])) return false;
        ++i;
    }
    return true;
}

bool is_blank(const Part& part) {
    const auto words = part.words();
    return words && is_blank(*words);
}

// A part's own mark, or for the last part the message's.
const CacheMark& mark_of(const chat::Message& message, const Part& part, const Part* last) {
    return part.cache || &part != last ? part.cache : message.cache;
}

const Part* last_written(const chat::Message& message) {
    const auto last = std::find_if(message.parts.rbegin(), message.parts.rend(),
                                   [](const Part& part) { return !is_blank(part); });
    return last == message.parts.rend() ? nullptr : &*last;
}

class Conversation {
public:
    Conversation(Draft& draft, std::span<const chat::Message> messages, std::string_view owner)
        : draft_(draft),
          writer_(draft.writer()),
          media_(draft.writer()),
          messages_(messages),
          owner_(owner),
          results_(messages) {}

    Result<void> write(LastTurn last_turn, const CacheMark& whole) {
        writer_.key("messages").begin_array();
        bool leading = true;
        for (std::size_t i = 0; i < messages_.size(); ++i) {
            leading = leading && is_system(messages_[i]);
            if (leading) continue;
            if (auto written = message(i); !written) return written;
        }
        if (turn_ == Turn::none || (turn_ == Turn::assistant && last_turn == LastTurn::user)) {
            user_text(turn_ == Turn::none ? placeholder : go_on);
            draft_.warn("added_user_turn");
        }
        draft_.cache_point(whole);
        close_turn();
        writer_.end_array();
        return {};
    }

private:
    enum class Turn { none, user, assistant };

    void open_turn(Turn turn) {
        if (turn_ == turn) return;
        if (turn_ == Turn::none && turn == Turn::assistant) user_text(placeholder);
        close_turn();
        turn_ = turn;
        writer_.begin_object().key("role").string(turn == Turn::user ? "user" : "assistant");
        writer_.key("content").begin_array();
    }

    void close_turn() {
        if (turn_ == Turn::none) return;
        // A document does not go without words.
        if (wants_words_) text(placeholder);
        writer_.end_array().end_object();
        wants_words_ = false;
    }

    void text(std::string_view escaped) {
        writer_.begin_object().key("text").escaped(escaped).end_object();
        wants_words_ = false;
        has_words_ = true;
    }

    void user_text(std::string_view escaped, const CacheMark& mark = {}) {
        open_turn(Turn::user);
        text(escaped);
        draft_.cache_point(mark);
    }

    Result<void> message(std::size_t at) {
        const chat::Message& here = messages_[at];
        switch (here.role) {
            case Role::system:
            case Role::developer: reminder(here); return {};
            case Role::user: return user(at);
            case Role::assistant: return assistant(at);
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

    Result<void> user(std::size_t at) {
        const chat::Message& here = messages_[at];
        const Part* last = last_written(here);
        if (last == nullptr) {
            user_text(placeholder, here.cache);
            return {};
        }
        open_turn(Turn::user);
        has_words_ = false;
        bool has_document = false;
        for (std::size_t i = 0; i < here.parts.size(); ++i) {
            const Part& part = here.parts[i];
            if (is_blank(part)) continue;
            has_document = has_document || part.is<chat::File>();
            if (auto written = block(part, at, i); !written) return written;
            draft_.cache_point(mark_of(here, part, last));
        }
        wants_words_ = has_document && !has_words_;
        return {};
    }

    Result<void> block(const Part& part, std::size_t at, std::size_t index) {
        if (const auto words = part.words()) {
            text(*words);
            return {};
        }
        return media_.write(part, fmt::format("messages[{}].content[{}]", at, index));
    }

    Result<void> assistant(std::size_t at) {
        const chat::Message& here = messages_[at];
        const auto is_said = [](const Part& part) {
            return part.is<chat::ToolCall>() || (part.words() && !is_blank(part));
        };
        // A turn may not consist of reasoning only.
        if (std::ranges::none_of(here.parts, is_said)) return {};
        open_turn(Turn::assistant);
        const Part* last = last_written(here);
        const auto kept = brings_reasoning(here) ? std::vector<anthropic::KeptThinking>{}
                                                 : anthropic::kept_thinking(here, owner_);
        auto next = kept.begin();
        for (const Part& part : here.parts) {
            // The first reasoning came before anything was said.
            const bool due = next != kept.end() &&
                             (next == kept.begin() || next->before == part.as<chat::ToolCall>());
            if (due) writer_.raw((next++)->blocks);
            answer_part(part);
            if (is_said(part)) draft_.cache_point(mark_of(here, part, last));
        }
        return here.has_calls() ? results_of(at) : Result<void>{};
    }

    bool brings_reasoning(const chat::Message& here) const {
        return std::ranges::any_of(here.parts, [&](const Part& part) {
            return signed_reasoning(part, owner_) != nullptr;
        });
    }

    void answer_part(const Part& part) {
        if (const auto words = part.words()) {
            if (!is_blank(*words)) text(*words);
        } else if (const auto* call = part.as<chat::ToolCall>()) {
            writer_.begin_object().key("toolUse").begin_object();
            writer_.key("toolUseId").string(native_call_id(call->id));
            writer_.key("name").string(ToolNames(tool_name_rule).sent(call->name));
            writer_.key("input").raw(arguments_object(*call)).end_object().end_object();
        } else if (part.is<chat::Reasoning>()) {
            const auto* reasoning = signed_reasoning(part, owner_);
            if (reasoning == nullptr) return;
            if (reasoning->encrypted_escaped.empty()) {
                append_reasoning(draft_.body(), reasoning->text_escaped,
                                 reasoning->signature_escaped);
            } else {
                append_redacted_reasoning(draft_.body(), reasoning->encrypted_escaped);
            }
        } else {
            draft_.warn("dropped_content_part");
        }
    }

    Result<void> results_of(std::size_t at) {
        open_turn(Turn::user);
        for (const Part& part : messages_[at].parts) {
            const auto* call = part.as<chat::ToolCall>();
            if (call == nullptr) continue;
            if (auto written = result(call->id, results_.take(at, call->id)); !written)
                return written;
        }
        return {};
    }

    Result<void> result(const std::string& id, std::optional<std::size_t> at) {
        writer_.begin_object().key("toolResult").begin_object();
        writer_.key("toolUseId").string(native_call_id(id));
        writer_.key("content").begin_array();
        if (!at || last_written(messages_[*at]) == nullptr) {
            text(at ? placeholder : no_result);
            if (!at) draft_.warn("missing_tool_result");
            writer_.end_array();
        } else {
            const chat::Message& here = messages_[*at];
            for (std::size_t i = 0; i < here.parts.size(); ++i) {
                if (is_blank(here.parts[i])) continue;
                if (auto written = block(here.parts[i], *at, i); !written) return written;
            }
            writer_.end_array();
            if (here.failed == chat::Wish::yes) writer_.key("status").string("error");
        }
        writer_.end_object().end_object();
        if (at) draft_.cache_point(messages_[*at].cache);
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
    MediaWriter media_;
    std::span<const chat::Message> messages_;
    std::string_view owner_;
    ToolResults results_;
    Turn turn_ = Turn::none;
    bool has_words_ = false;    // the message being written
    bool wants_words_ = false;  // the turn being written
};

}  // namespace

void write_system(Draft& draft, std::span<const chat::Message> messages,
                  std::string_view instruction) {
    json::Writer writer = draft.writer();
    bool open = false;
    const auto block = [&](std::string_view escaped, const CacheMark& mark) {
        if (!open) writer.key("system").begin_array();
        open = true;
        writer.begin_object().key("text").escaped(escaped).end_object();
        draft.cache_point(mark);
    };
    for (const chat::Message& message : messages) {
        if (!is_system(message)) break;
        for (const Part& part : message.parts)
            if (const auto words = part.words(); words && !is_blank(*words))
                block(*words, mark_of(message, part, last_written(message)));
    }
    if (!instruction.empty()) block(instruction, {});
    if (open) writer.end_array();
}

Result<void> write_messages(Draft& draft, std::span<const chat::Message> messages,
                            std::string_view owner, LastTurn last_turn, const CacheMark& whole) {
    return Conversation(draft, messages, owner).write(last_turn, whole);
}

}  // namespace runnel::provider::bedrock
