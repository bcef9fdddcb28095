#include "provider/bedrock/wire.hpp"

#include "base/base64.hpp"
#include "provider/anthropic/wire.hpp"
#include "provider/core/error_facts.hpp"
#include "provider/core/json_fields.hpp"
#include "provider/openai/wire.hpp"

#include <fmt/format.h>

namespace runnel::provider::bedrock {
namespace {

using json::ondemand::value;

enum class DocumentFormat { unknown, converse, messages, chat_completions };

DocumentFormat format_with_field(std::string_view name) {
    if (name == "type") return DocumentFormat::messages;
    if (name == "choices") return DocumentFormat::chat_completions;
    if (name == "output" || name == "metadata" || name.starts_with("messageSt") ||
        name.starts_with("contentBlock"))
        return DocumentFormat::converse;
    return DocumentFormat::unknown;
}

DocumentFormat format_of(json::Parser& parser, Padded text) {
    DocumentFormat format = DocumentFormat::unknown;
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser.parse(text, document) || document.get_object().get(root)) return format;
    for_each_field(root, [&](std::string_view name, value) {
        if (format == DocumentFormat::unknown) format = format_with_field(name);
    });
    return format;
}

// The base64 of {"bytes": "…"}.
std::string_view bytes_field(json::Parser& parser, Padded payload) {
    std::string_view bytes;
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser.parse(payload, document) || document.get_object().get(root)) return bytes;
    for_each_field(root, [&](std::string_view name, value field) {
        if (name == "bytes") json::escaped_string(field, bytes);
    });
    return bytes;
}

}  // namespace

std::unique_ptr<framing::Framing> BedrockWire::framing_for(char first) const {
    return converse_.framing_for(first);
}

void BedrockWire::on_frame(const framing::Frame& frame, Turn& turn) {
    const bool is_chunk = frame.tells == framing::Frame::Tells::event && frame.event == "chunk";
    if (is_chunk) return on_chunk(frame.data, turn);
    converse_.on_frame(frame, turn);
}

void BedrockWire::on_chunk(Padded payload, Turn& turn) {
    chunk_.clear();
    if (!append_decoded_base64(chunk_, bytes_field(*parser_, payload)) || chunk_.empty())
        return turn.malformed();
    const Padded document = Padded::of(chunk_);
    if (chosen_ == nullptr) chosen_ = wire_for(document);
    if (chosen_ == nullptr) return turn.malformed();
    chosen_->on_frame({{}, document}, turn);
}

void BedrockWire::on_body(Padded body, Turn& turn) {
    if (Wire* wire = wire_for(body)) return wire->on_body(body, turn);
    turn.fail(to_error(turn.options().display_name, read_error_facts(body.text())));
}

Wire* BedrockWire::wire_for(Padded document) {
    switch (format_of(*parser_, document)) {
        case DocumentFormat::unknown: return nullptr;
        case DocumentFormat::converse: return &converse_;
        case DocumentFormat::messages:
            native_ = std::make_unique<anthropic::MessagesWire>(parser_);
            break;
        case DocumentFormat::chat_completions:
            native_ = make_openai_wire(*find_preset("openai"), "Bedrock", parser_);
            break;
    }
    return native_.get();
}

std::size_t BedrockWire::held_bytes() const {
    return chunk_.capacity() + converse_.held_bytes() + (native_ ? native_->held_bytes() : 0);
}

}  // namespace runnel::provider::bedrock
