#include "provider/vertex/wire.hpp"

#include "provider/anthropic/wire.hpp"
#include "provider/core/json_fields.hpp"
#include "provider/gemini/wire.hpp"
#include "provider/openai/wire.hpp"

namespace runnel::provider::vertex {
namespace {

using json::ondemand::value;

enum class AnswerFormat { gemini, messages, chat_completions };

AnswerFormat answer_format(json::Parser& parser, Padded text) {
    AnswerFormat format = AnswerFormat::gemini;
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser.parse(text, document) || document.get_object().get(root)) return format;
    for_each_field(root, [&](std::string_view name, value) {
        if (name == "type") format = AnswerFormat::messages;
        if (name == "choices") format = AnswerFormat::chat_completions;
    });
    return format;
}

}  // namespace

// Gemini's wire knows every form that the others come in.
std::unique_ptr<framing::Framing> VertexWire::framing_for(char first) const {
    return gemini::GenerateContentWire(parser_).framing_for(first);
}

void VertexWire::on_frame(const framing::Frame& frame, Turn& turn) {
    wire_for(frame.data).on_frame(frame, turn);
}

void VertexWire::on_body(Padded body, Turn& turn) { wire_for(body).on_body(body, turn); }

Wire& VertexWire::wire_for(Padded document) {
    if (chosen_) return *chosen_;
    switch (answer_format(*parser_, document)) {
        case AnswerFormat::messages:
            chosen_ = std::make_unique<anthropic::MessagesWire>(parser_);
            break;
        case AnswerFormat::chat_completions:
            chosen_ = make_openai_wire(*find_preset("openai-compatible"), "Vertex AI", parser_);
            break;
        case AnswerFormat::gemini:
            chosen_ = std::make_unique<gemini::GenerateContentWire>(parser_);
            break;
    }
    return *chosen_;
}

}  // namespace runnel::provider::vertex
