#include "provider/anthropic/thinking.hpp"

#include "json/text.hpp"
#include "json/writer.hpp"

#include <algorithm>

namespace runnel::provider::anthropic {
namespace {

constexpr std::string_view provider_kind = "anthropic";

// Collected from fragments, so a character may be in two pieces that only fit together now.
std::string joined(std::string_view escaped) {
    json::Joiner joiner;
    std::string scratch;
    std::string text(joiner.join(escaped, scratch));
    text += joiner.flush(scratch);
    return text;
}

// The blocks of a call's state, which the wire wrote as one array; empty where it is not `owner`'s.
std::string_view blocks_of(const chat::ToolCall& call, std::string_view owner) {
    if (!call.state || call.state->owner != owner) return {};
    const std::string_view array = call.state->raw;
    if (!array.starts_with("[{") || !array.ends_with("}]")) return {};
    return array.substr(1, array.size() - 2);
}

bool has_signed_reasoning(const chat::Message& message, std::string_view owner) {
    return std::ranges::any_of(message.parts, [&](const chat::Part& part) {
        return signed_reasoning(part, owner) != nullptr;
    });
}

}  // namespace

std::string state_owner(std::string_view model) {
    return std::string(provider_kind).append("/").append(model);
}

void append_thinking(std::string& blocks, std::string_view thinking, std::string_view signature) {
    json::Writer writer(blocks);
    writer.begin_object().key("type").string("thinking").key("thinking").escaped(joined(thinking));
    writer.key("signature").escaped(joined(signature)).end_object();
}

void append_redacted_thinking(std::string& blocks, std::string_view data) {
    json::Writer writer(blocks);
    writer.begin_object().key("type").string("redacted_thinking");
    writer.key("data").escaped(joined(data)).end_object();
}

void append_thinking(std::string& blocks, const chat::Reasoning& reasoning) {
    if (!reasoning.encrypted_escaped.empty()) {
        append_redacted_thinking(blocks, reasoning.encrypted_escaped);
    } else {
        append_thinking(blocks, reasoning.text_escaped, reasoning.signature_escaped);
    }
}

const chat::Reasoning* signed_reasoning(const chat::Part& part, std::string_view owner) {
    const auto* reasoning = part.as<chat::Reasoning>();
    if (reasoning == nullptr || !reasoning->is_signed()) return nullptr;
    const std::string_view issuer = reasoning->issuer;
    return issuer.empty() || issuer == provider_kind || issuer == owner ? reasoning : nullptr;
}

std::vector<KeptThinking> kept_thinking(const chat::Message& message, std::string_view owner) {
    if (has_signed_reasoning(message, owner)) return {};
    // Each call's state has all blocks before it, so the last one has them all, and the others tell
    // where they were.
    std::string_view all;
    message.for_each_call([&](const chat::ToolCall& call) {
        if (const std::string_view blocks = blocks_of(call, owner); !blocks.empty()) all = blocks;
    });
    std::vector<KeptThinking> kept;
    std::size_t taken = 0;
    message.for_each_call([&](const chat::ToolCall& call) {
        const std::string_view blocks = blocks_of(call, owner);
        if (blocks.size() <= taken || !all.starts_with(blocks)) return;
        const std::size_t comma = taken > 0 ? 1 : 0;
        kept.push_back({&call, blocks.substr(taken + comma)});
        taken = blocks.size();
    });
    return kept;
}

bool carries_thinking(const chat::Message& message, std::string_view owner) {
    return has_signed_reasoning(message, owner) || !kept_thinking(message, owner).empty();
}

}  // namespace runnel::provider::anthropic
