#include "provider/bedrock/reasoning_state.hpp"

#include "json/text.hpp"
#include "json/writer.hpp"

namespace runnel::provider::bedrock {
namespace {

constexpr std::string_view bedrock_kind = "bedrock";

// Collected from pieces, so a character may be in two that only fit together now.
std::string in_one_piece(std::string_view escaped) {
    json::Joiner joiner;
    std::string scratch;
    std::string text(joiner.join(escaped, scratch));
    text += joiner.flush(scratch);
    return text;
}

}  // namespace

std::string state_owner(std::string_view model) {
    return std::string(bedrock_kind).append("/").append(model);
}

void append_reasoning(std::string& blocks, std::string_view text, std::string_view signature) {
    json::Writer writer(blocks);
    writer.begin_object().key("reasoningContent").begin_object();
    writer.key("reasoningText").begin_object().key("text").escaped(in_one_piece(text));
    writer.key("signature").escaped(in_one_piece(signature)).end_object();
    writer.end_object().end_object();
}

void append_redacted_reasoning(std::string& blocks, std::string_view data) {
    json::Writer writer(blocks);
    writer.begin_object().key("reasoningContent").begin_object();
    writer.key("redactedContent").escaped(in_one_piece(data)).end_object().end_object();
}

const chat::Reasoning* signed_reasoning(const chat::Part& part, std::string_view owner) {
    const auto* reasoning = part.as<chat::Reasoning>();
    if (reasoning == nullptr || !reasoning->is_signed()) return nullptr;
    const std::string_view issuer = reasoning->issuer;
    return issuer.empty() || issuer == bedrock_kind || issuer == owner ? reasoning : nullptr;
}

}  // namespace runnel::provider::bedrock
