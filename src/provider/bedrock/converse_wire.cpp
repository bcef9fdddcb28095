#include "provider/bedrock/converse_wire.hpp"

#include "base/limits.hpp"
#include "framing/event_stream.hpp"
#include "json/text.hpp"
#include "provider/anthropic/wire.hpp"
#include "provider/bedrock/reasoning_state.hpp"
#include "provider/core/error_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::provider::bedrock {
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
    {"tool_use", timeline::Finish::tool_calls},
    {"max_tokens", timeline::Finish::length},
    {"model_context_window_exceeded", timeline::Finish::length},
    {"guardrail_intervened", timeline::Finish::content_filter},
    {"content_filtered", timeline::Finish::content_filter},
    {"refusal", timeline::Finish::content_filter},
    {"pause_turn", timeline::Finish::pause},
};

}  // namespace

std::unique_ptr<framing::Framing> ConverseWire::framing_for(char first) const {
    if (first == '{') return nullptr;
    return std::make_unique<framing::EventStream>(limits::frame_bytes);
}

void ConverseWire::on_frame(const framing::Frame& frame, Turn& turn) {
    if (frame.tells == framing::Frame::Tells::failure) {
        ErrorFacts facts = read_error_facts(frame.data.text());
        facts.type = frame.event;
        turn.fail(to_error(turn.options().display_name, facts));
        return;
    }
    Event event;
    if (!read_event(*parser_, frame.data, event)) return turn.malformed();
    const std::string_view name = event.name.empty() ? frame.event : event.name;
    if (name == "contentBlockDelta") {
        add_piece(event.index, event.block, turn);
    } else if (name == "contentBlockStart") {
        start_block(event.index, event.block, turn);
    } else if (name == "contentBlockStop") {
        end_block(event.index, turn);
    } else if (name == "messageStart") {
        turn.started();
    } else if (name == "messageStop") {
        stop(event.stop_reason, turn);
    } else if (name == "metadata") {
        count(event.counts, turn);
        if (stopped_) turn.complete();
    }
}

void ConverseWire::on_body(Padded body, Turn& turn) {
    Event answer;
    if (!read_event(*parser_, body, answer) || !answer.has_content) {
        turn.fail(
            {ErrorKind::upstream_malformed,
             fmt::format("{} sent an answer that is not a message", turn.options().display_name)});
        return;
    }
    turn.started();
    for (std::size_t i = 0; i < answer.content.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        if (answer.content[i].kind == Block::Kind::tool)
            start_block(index, answer.content[i], turn);
        add_piece(index, answer.content[i], turn);
        end_block(index, turn);
    }
    count(answer.counts, turn);
    stop(answer.stop_reason, turn);
    turn.complete();
}

ConverseWire::Kind ConverseWire::kind_of(const Block& block) {
    switch (block.kind) {
        case Block::Kind::text: return Kind::text;
        case Block::Kind::reasoning: return Kind::reasoning;
        case Block::Kind::tool:
            if (!block.tool_type.empty()) return Kind::ignored;  // the provider runs it itself
            return block.name == anthropic::answer_tool ? Kind::answer : Kind::tool;
        case Block::Kind::unsaid:
        case Block::Kind::other: break;
    }
    return Kind::ignored;
}

ConverseWire::OpenBlock* ConverseWire::find(std::int64_t index) {
    const auto found = std::ranges::find(open_, index, &OpenBlock::index);
    return found == open_.end() ? nullptr : &*found;
}

ConverseWire::OpenBlock* ConverseWire::open_block(std::int64_t index, Kind kind, Turn& turn) {
    if (open_.size() >= limits::tool_calls) {
        turn.fail({ErrorKind::upstream_malformed,
                   fmt::format("{} began more than {} content blocks without ending any",
                               turn.options().display_name, limits::tool_calls)});
        return nullptr;
    }
    return &open_.emplace_back(OpenBlock{index, kind});
}

std::size_t ConverseWire::held_bytes() const {
    std::size_t bytes = signed_blocks_.size();
    for (const OpenBlock& block : open_)
        bytes += sizeof(OpenBlock) + block.thinking.size() + block.signature.size();
    return bytes;
}

void ConverseWire::start_block(std::int64_t index, const Block& block, Turn& turn) {
    end_block(index, turn);
    const OpenBlock* open = open_block(index, kind_of(block), turn);
    if (open == nullptr || open->kind != Kind::tool) return;
    if (!signed_blocks_.empty()) turn.turn_state(fmt::format("[{}]", signed_blocks_));
    turn.tool(choice, index, json::unescaped(block.id), json::unescaped(block.name));
}

// Only tools have a start of their own; any other block begins with its first piece.
void ConverseWire::add_piece(std::int64_t index, const Block& block, Turn& turn) {
    OpenBlock* open = find(index);
    if (open == nullptr) open = open_block(index, kind_of(block), turn);
    if (open == nullptr) return;
    std::string_view input = block.input;
    std::string escaped;
    if (!block.input_raw.empty()) {
        std::string compact;
        json::append_compact(compact, block.input_raw);
        if (compact != "{}" || open->kind == Kind::answer) json::append_escaped(escaped, compact);
        input = escaped;
    }
    switch (open->kind) {
        case Kind::text:
            turn.text(choice, block.text);
            for (const timeline::Citation& citation : block.citations) turn.citation(citation);
            break;
        case Kind::reasoning: add_reasoning(*open, block, turn); break;
        case Kind::tool:
            if (!input.empty()) turn.tool_arguments(choice, index, input);
            break;
        case Kind::answer: turn.text(choice, input); break;
        case Kind::ignored: break;
    }
}

void ConverseWire::add_reasoning(OpenBlock& open, const Block& block, Turn& turn) {
    if (!block.thinking.empty()) {
        turn.reasoning(choice, block.thinking);
        if (turn.options().state == TurnOptions::State::keep) open.thinking += block.thinking;
    }
    open.signature += block.signature;
    if (block.redacted.empty()) return;
    append_redacted_reasoning(signed_blocks_, block.redacted);
    turn.reasoning_encrypted(choice, block.redacted);
}

void ConverseWire::end_block(std::int64_t index, Turn& turn) {
    OpenBlock* open = find(index);
    if (open == nullptr) return;
    if (open->kind == Kind::reasoning && !open->signature.empty()) {
        append_reasoning(signed_blocks_, open->thinking, open->signature);
        turn.reasoning_signed(choice, open->signature);
    }
    // Text goes on in the next block: Nova ends one with every word.
    if (open->kind == Kind::reasoning) turn.item_ended(choice);
    if (open->kind == Kind::tool) turn.tool_ended(choice, index);
    open_.erase(open_.begin() + (open - open_.data()));
}

void ConverseWire::stop(std::string_view reason, Turn& turn) {
    while (!open_.empty()) end_block(open_.front().index, turn);
    stopped_ = true;
    if (reason.starts_with("malformed_")) {
        turn.fail({ErrorKind::upstream_malformed,
                   fmt::format("{}'s model wrote something that is no answer",
                               turn.options().display_name)});
        return;
    }
    const auto* row = std::ranges::find(stop_reasons, reason, &StopReason::native);
    if (!reason.empty())
        turn.finish(choice, row == std::end(stop_reasons) ? timeline::Finish::stop : row->finish,
                    reason);
}

void ConverseWire::count(const Counts& counts, Turn& turn) {
    if (!counts.input && !counts.output) return;
    timeline::Usage usage;
    usage.fresh_input = counts.input.value_or(0);
    usage.cache_read = counts.cache_read;
    usage.cache_write = counts.cache_write;
    usage.output = counts.output.value_or(0);
    turn.usage(usage);
}

}  // namespace runnel::provider::bedrock
