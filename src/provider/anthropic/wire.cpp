#include "provider/anthropic/wire.hpp"

#include "base/limits.hpp"
#include "framing/sse.hpp"
#include "json/text.hpp"
#include "provider/anthropic/thinking.hpp"
#include "provider/core/error_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::provider::anthropic {
namespace {

// An answer has one choice.
constexpr timeline::Choice choice = 0;

struct StopReason {
    std::string_view native;
    timeline::Finish finish;
};
constexpr StopReason stop_reasons[] = {
    {"end_turn", timeline::Finish::stop},
    {"stop_sequence", timeline::Finish::stop},
    {"pause_turn", timeline::Finish::pause},
    {"tool_use", timeline::Finish::tool_calls},
    {"max_tokens", timeline::Finish::length},
    {"model_context_window_exceeded", timeline::Finish::length},
    {"compaction", timeline::Finish::length},
    {"refusal", timeline::Finish::content_filter},
};

using What = timeline::Native::What;

Natives natives_for(const Turn& turn) {
    return turn.tells_natives() ? Natives::kept : Natives::left_out;
}

// `others` as they were read, with what `what` says they are of.
void tell_others(What what, std::string_view others, Turn& turn) {
    if (!others.empty()) turn.native(choice, what, fmt::format("{{{}}}", others));
}

void tell_stop(const Stop& stop, Turn& turn) {
    turn.refusal(choice, stop.refusal);
    if (stop.reason.empty()) return;
    const auto* row = std::ranges::find(stop_reasons, stop.reason, &StopReason::native);
    turn.finish(choice, row == std::end(stop_reasons) ? timeline::Finish::stop : row->finish,
                stop.reason, stop.sequence);
}

void fail(std::string_view raw_error, Turn& turn) {
    turn.fail(to_error(turn.options().display_name, read_error_facts(raw_error),
                       chat::name_of(chat::Api::messages)));
}

// A tool's input as escaped JSON text; empty for {}, which the Turn writes itself.
std::string escaped_input(std::string_view raw) {
    std::string compact;
    std::string escaped;
    if (!raw.starts_with('{')) return escaped;
    json::append_compact(compact, raw);
    if (compact != "{}") json::append_escaped(escaped, compact);
    return escaped;
}

}  // namespace

std::unique_ptr<framing::Framing> MessagesWire::framing_for(char first) const {
    if (first == '{') return nullptr;
    return std::make_unique<framing::Decoder>(limits::frame_bytes);
}

void MessagesWire::on_frame(const framing::Frame& frame, Turn& turn) {
    // Gateways that speak Anthropic's format may still end a stream as OpenAI does.
    if (frame.data.text() == "[DONE]") return;
    Event event;
    const bool readable = read_event(*parser_, frame.data, natives_for(turn), event);
    if (frame.event == "error" || (readable && (event.is_error || event.type == "error"))) {
        fail(frame.data.text(), turn);
    } else if (!readable || event.type.empty()) {
        turn.malformed();
    } else if (event.type == "content_block_delta") {
        add_delta(event.index, event.delta, turn);
    } else if (event.type == "content_block_start") {
        start_block(event.index, event.block, turn);
    } else if (event.type == "content_block_stop") {
        end_block(event.index, turn);
    } else if (event.type == "message_start") {
        start_message(event.message, turn);
    } else if (event.type == "message_delta") {
        tell_others(What::finish, event.delta.others, turn);
        tell_others(What::answer, event.others, turn);
        count(event.counts, event.usage_raw, turn);
        tell_stop(event.delta.stop, turn);
    } else if (event.type == "message_stop") {
        end_message(turn);
    } else if (event.type != "ping") {
        turn.native(choice, What::event, frame.data.text());
    }
}

void MessagesWire::on_body(Padded body, Turn& turn) {
    Message message;
    const bool readable = read_message(*parser_, body, natives_for(turn), message);
    if (readable && (message.is_error || message.type == "error")) {
        fail(body.text(), turn);
        return;
    }
    if (!readable || !message.has_content) {
        turn.fail(
            {ErrorKind::upstream_malformed,
             fmt::format("{} sent an answer that is not a message", turn.options().display_name)});
        return;
    }
    start_message(message, turn);
    end_message(turn);
}

void MessagesWire::start_message(const Message& message, Turn& turn) {
    if (started_) {
        // Some servers repeat the event; another message inside this one is nothing anybody can
        // make sense of.
        if (message.id != message_id_)
            turn.fail({ErrorKind::upstream_malformed,
                       fmt::format("{} began a second message inside its answer",
                                   turn.options().display_name)});
        return;
    }
    started_ = true;
    message_id_ = message.id;
    turn.started();
    // A stream's message is empty here, unless the call was deferred: then all of it comes at once.
    // Numbers below zero keep these blocks apart from those that follow.
    for (std::size_t i = 0; i < message.content.size(); ++i) {
        const auto index = -2 - static_cast<std::int64_t>(i);
        start_block(index, message.content[i], turn);
        end_block(index, turn);
    }
    tell_others(What::answer, message.others, turn);
    count(message.counts, message.usage_raw, turn);
    tell_stop(message.stop, turn);
}

MessagesWire::Kind MessagesWire::kind_of(const Block& block) {
    if (block.type == "text") return Kind::text;
    if (block.type == "thinking") return Kind::thinking;
    if (block.type == "redacted_thinking") return Kind::redacted;
    if (block.type == "tool_use") return block.name == answer_tool ? Kind::answer : Kind::tool;
    // Server tools and their results, fallbacks, compactions and whatever comes next: not the
    // client's to see or to do.
    return Kind::ignored;
}

MessagesWire::OpenBlock* MessagesWire::find(std::int64_t index) {
    const auto found = std::ranges::find(open_, index, &OpenBlock::index);
    return found == open_.end() ? nullptr : &*found;
}

std::size_t MessagesWire::held_bytes() const {
    std::size_t bytes = signed_blocks_.size();
    for (const OpenBlock& block : open_)
        bytes += sizeof(OpenBlock) + block.raw.size() + block.input.size() + block.thinking.size() +
                 block.signature.size();
    return bytes;
}

void MessagesWire::start_block(std::int64_t index, const Block& block, Turn& turn) {
    end_block(index, turn);
    if (open_.size() >= limits::tool_calls) {
        turn.fail({ErrorKind::upstream_malformed,
                   fmt::format("{} began more than {} content blocks without ending any",
                               turn.options().display_name, limits::tool_calls)});
        return;
    }
    OpenBlock& open = open_.emplace_back(OpenBlock{index, kind_of(block)});
    if (turn.tells_natives()) tell_block_begin(open, block, turn);
    switch (open.kind) {
        case Kind::text:
            turn.text(choice, block.text);
            for (const timeline::Citation& citation : block.citations) turn.citation(citation);
            break;
        case Kind::thinking:
            turn.reasoning(choice, block.thinking);
            open.thinking = block.thinking;
            open.signature = block.signature;
            break;
        case Kind::tool:
            if (!signed_blocks_.empty()) turn.turn_state(fmt::format("[{}]", signed_blocks_));
            turn.tool(choice, index, json::unescaped(block.id), json::unescaped(block.name));
            open.input = escaped_input(block.input_raw);
            break;
        case Kind::answer:
            open.input = escaped_input(block.input_raw);
            if (open.input.empty()) open.input = "{}";
            break;
        case Kind::redacted:
            if (block.data.empty()) break;
            append_redacted_thinking(signed_blocks_, block.data);
            turn.reasoning_encrypted(choice, block.data);
            break;
        case Kind::ignored: break;
    }
}

// Of blocks that nobody here knows all is told; of others, what else is said of them.
void MessagesWire::tell_block_begin(OpenBlock& open, const Block& block, Turn& turn) {
    if (open.kind == Kind::ignored) return turn.native(choice, What::item, block.raw);
    if (open.kind == Kind::answer) return;
    const bool may_be_empty = open.kind == Kind::text || open.kind == Kind::thinking;
    const bool is_said = !block.text.empty() || !block.thinking.empty() || !block.citations.empty();
    if (!may_be_empty || is_said) return tell_others(What::item_fields, block.others, turn);
    open.raw = block.raw;
    open.others = block.others;
}

void MessagesWire::begin_saying(OpenBlock* open, Turn& turn) {
    if (open == nullptr || open->raw.empty()) return;
    tell_others(What::item_fields, open->others, turn);
    open->raw.clear();
}

// What comes of a block that is told as it is, and what nobody here knows of others.
void MessagesWire::tell_addition(OpenBlock* block, const Delta& delta, Turn& turn) {
    if (!turn.tells_natives()) return;
    if (!delta.raw.empty()) {
        begin_saying(block, turn);
        turn.native(choice, What::addition, delta.raw);
    } else if (delta.type == "input_json_delta" && block != nullptr &&
               block->kind == Kind::ignored) {
        turn.native(choice, What::addition,
                    fmt::format(R"({{"type":"input_json_delta","partial_json":"{}"}})",
                                delta.partial_json));
    }
}

void MessagesWire::add_delta(std::int64_t index, const Delta& delta, Turn& turn) {
    OpenBlock* block = find(index);
    tell_addition(block, delta, turn);
    if (block != nullptr && (block->kind == Kind::ignored || block->kind == Kind::redacted)) return;
    if (!delta.text.empty() || !delta.thinking.empty() || delta.citation) begin_saying(block, turn);
    if (delta.type == "text_delta") {
        turn.text(choice, delta.text);
    } else if (delta.type == "thinking_delta") {
        turn.reasoning(choice, delta.thinking);
        if (block != nullptr && turn.options().state == TurnOptions::State::keep)
            block->thinking += delta.thinking;
    } else if (delta.type == "input_json_delta") {
        // The first delta of a call is usually empty, and for a tool without arguments the only
        // one.
        if (block == nullptr || delta.partial_json.empty()) return;
        block->input.clear();
        if (block->kind == Kind::tool) turn.tool_arguments(choice, index, delta.partial_json);
        if (block->kind == Kind::answer) turn.text(choice, delta.partial_json);
    } else if (delta.type == "signature_delta") {
        if (block != nullptr) block->signature += delta.signature;
    } else if (delta.type == "citations_delta") {
        if (delta.citation) turn.citation(*delta.citation);
    }
}

void MessagesWire::end_block(std::int64_t index, Turn& turn) {
    OpenBlock* block = find(index);
    if (block == nullptr) return;
    if (!block->signature.empty()) begin_saying(block, turn);
    if (!block->raw.empty()) turn.native(choice, What::item, block->raw);
    switch (block->kind) {
        case Kind::ignored:
        case Kind::text: turn.item_ended(choice); break;
        case Kind::thinking:
            if (!block->signature.empty())
                append_thinking(signed_blocks_, block->thinking, block->signature);
            turn.reasoning_signed(choice, block->signature);
            turn.item_ended(choice);
            break;
        case Kind::tool:
            turn.tool_arguments(choice, index, block->input);
            turn.tool_ended(choice, index);
            break;
        case Kind::answer:
            turn.text(choice, block->input);
            turn.item_ended(choice);
            break;
        case Kind::redacted: break;
    }
    open_.erase(open_.begin() + (block - open_.data()));
}

void MessagesWire::end_message(Turn& turn) {
    while (!open_.empty()) end_block(open_.front().index, turn);
    turn.complete();
}

void MessagesWire::count(const Counts& counts, std::string_view raw, Turn& turn) {
    // Counts are cumulative: each replaces the one before, and what is not told again stands.
    if (counts.input) usage_.fresh_input = *counts.input;
    if (counts.output) usage_.output = *counts.output;
    if (counts.cache_read) usage_.cache_read = counts.cache_read;
    if (counts.cache_write) usage_.cache_write = counts.cache_write;
    if (counts.reasoning) usage_.reasoning = counts.reasoning;
    if (counts.input || counts.output) turn.usage(usage_);
    turn.native(choice, What::usage, raw);
}

}  // namespace runnel::provider::anthropic
