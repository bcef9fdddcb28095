#include "provider/anthropic_thinking.hpp"

#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"
#include "provider/json_fields.hpp"

namespace runnel::provider::anthropic {
namespace {

using json::ondemand::value;

// Collected from fragments, so a character may be in two pieces that only fit together now.
std::string joined(std::string_view escaped) {
    json::Joiner joiner;
    std::string scratch;
    std::string text(joiner.join(escaped, scratch));
    text += joiner.flush(scratch);
    return text;
}

// The fields that Anthropic's own blocks and OpenRouter's reasoning_details have.
struct Carried {
    std::string_view type{};
    std::string_view thinking{};
    std::string_view text{};
    std::string_view signature{};
    std::string_view data{};
    std::string_view format{};
};

Carried read_carried(value source) {
    Carried out;
    for_each_field(source, [&](std::string_view name, value field) {
        if (name == "type") json::escaped_string(field, out.type);
        if (name == "thinking") json::escaped_string(field, out.thinking);
        if (name == "text") json::escaped_string(field, out.text);
        if (name == "signature") json::escaped_string(field, out.signature);
        if (name == "data") json::escaped_string(field, out.data);
        if (name == "format") json::escaped_string(field, out.format);
    });
    return out;
}

void append_carried(std::string& blocks, const Carried& carried) {
    const bool anthropics = carried.format.starts_with("anthropic");
    if (carried.type == "thinking" && !carried.signature.empty()) {
        append_thinking(blocks, carried.thinking, carried.signature);
    } else if (carried.type == "redacted_thinking" && !carried.data.empty()) {
        append_redacted_thinking(blocks, carried.data);
    } else if (carried.type == "reasoning.text" && !carried.signature.empty() &&
               (anthropics || carried.format.empty())) {
        append_thinking(blocks, carried.text, carried.signature);
    } else if (carried.type == "reasoning.encrypted" && !carried.data.empty() && anthropics) {
        append_redacted_thinking(blocks, carried.data);
    }
}

// Rebuilt rather than copied: a field that Anthropic doesn't know would be refused.
std::string blocks_in(std::string_view array_raw) {
    std::string blocks;
    if (array_raw.empty()) return blocks;
    json::Parser parser;
    std::string text(array_raw);
    json::ondemand::document document;
    value root;
    if (parser.parse(Padded::of(text), document) || document.get_value().get(root)) return blocks;
    for_each_element(root, [&](value block) { append_carried(blocks, read_carried(block)); });
    return blocks;
}

}  // namespace

std::string state_owner(std::string_view model) { return std::string("anthropic/").append(model); }

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

std::string signed_thinking(const chat::Message& message, std::string_view owner) {
    if (std::string blocks = blocks_in(message.thinking_blocks_raw); !blocks.empty()) return blocks;
    if (std::string blocks = blocks_in(message.reasoning_details_raw); !blocks.empty())
        return blocks;
    // Each call's state has all blocks before it, so the last one has them all.
    for (auto kept = message.kept_state.rbegin(); kept != message.kept_state.rend(); ++kept)
        if (kept->owner == owner) return blocks_in(kept->raw);
    return {};
}

}  // namespace runnel::provider::anthropic
