#include "metering/estimate.hpp"

#include <algorithm>

namespace runnel::metering {
namespace {

// English has four bytes to a token and most other scripts three.
constexpr std::size_t text_bytes_per_token = 3;
constexpr std::int64_t image_tokens = 1'600;            // the most that a provider makes of one
constexpr std::size_t audio_bytes_per_token = 300;      // base64 of compressed speech, 32 tokens/s
constexpr std::size_t video_bytes_per_token = 300;      // base64 of a picture a second, compressed
constexpr std::size_t file_bytes_per_token = 20;        // pages of text and pictures
constexpr std::int64_t message_tokens = 4;              // its role and its borders
constexpr std::int64_t output_tokens_max = 10'000'000;  // no model writes so much

std::int64_t text_tokens(std::size_t bytes) {
    return static_cast<std::int64_t>((bytes + text_bytes_per_token - 1) / text_bytes_per_token);
}

std::int64_t data_tokens(const chat::Source& source, std::size_t bytes_per_token) {
    return static_cast<std::int64_t>(source.data_escaped.size() / bytes_per_token);
}

std::int64_t tokens_of(const chat::Text& text) { return text_tokens(text.text_escaped.size()); }

std::int64_t tokens_of(const chat::Refusal& refusal) {
    return text_tokens(refusal.text_escaped.size());
}

std::int64_t tokens_of(const chat::Image&) { return image_tokens; }

std::int64_t tokens_of(const chat::Audio& audio) {
    return data_tokens(audio.source, audio_bytes_per_token) + 1;
}

std::int64_t tokens_of(const chat::Video& video) {
    return data_tokens(video.source, video_bytes_per_token) + image_tokens;
}

std::int64_t tokens_of(const chat::File& file) {
    if (!file.text_escaped.empty())
        return text_tokens(file.text_escaped.size() + file.context_escaped.size());
    return data_tokens(file.source, file_bytes_per_token) + image_tokens;
}

std::int64_t tokens_of(const chat::Reasoning& reasoning) {
    return text_tokens(reasoning.text_escaped.size() + reasoning.signature_escaped.size() +
                       reasoning.encrypted_escaped.size());
}

std::int64_t tokens_of(const chat::ToolCall& call) {
    return message_tokens + text_tokens(call.name.size()) +
           text_tokens(call.arguments_escaped.size() + call.arguments_raw.size());
}

std::int64_t tokens_of(const chat::Other& other) { return text_tokens(other.raw.size()); }

std::int64_t tokens_of(const chat::Message& message) {
    std::int64_t tokens = message_tokens;
    for (const chat::Part& part : message.parts)
        tokens += std::visit([](const auto& content) { return tokens_of(content); }, part.content);
    return tokens;
}

std::int64_t tokens_of(const chat::Tool& tool) {
    return message_tokens +
           text_tokens(tool.name.size() + tool.description_escaped.size() +
                       tool.parameters_raw.size() + tool.format_raw.size() + tool.raw.size());
}

}  // namespace

std::int64_t estimated_input_tokens(const chat::Request& request) {
    std::int64_t tokens = text_tokens(request.output.schema_raw.size());
    for (const chat::Message& message : request.messages) tokens += tokens_of(message);
    for (const chat::Tool& tool : request.tools) tokens += tokens_of(tool);
    return tokens;
}

std::int64_t estimated_tokens(std::size_t bytes) { return text_tokens(bytes); }

std::int64_t estimated_thinking_tokens(const chat::ReasoningWish& wish) {
    const std::int64_t by_effort = wish.effort ? chat::thinking_tokens(*wish.effort) : 0;
    return std::min(wish.budget_tokens.value_or(by_effort), output_tokens_max);
}

std::int64_t reserved_output_tokens(const chat::Operation& operation,
                                    std::optional<std::int64_t> model_max, std::int64_t otherwise) {
    if (operation.writes_nothing()) return 0;
    std::int64_t each = operation.max_tokens.value_or(otherwise);
    if (model_max) each = std::min(each, *model_max);
    each = std::clamp<std::int64_t>(each, 0, output_tokens_max);
    // What is said of the answer alone; to some providers thinking comes on top of it.
    if (operation.max_tokens) each += operation.thinking_tokens;
    return each * std::max<std::int64_t>(operation.choices, 1);
}

}  // namespace runnel::metering
