#include "policy/estimate.hpp"

#include <algorithm>

namespace runnel::policy {
namespace {

using chat::Part;

// English has four bytes to a token and most other scripts three.
constexpr std::size_t text_bytes_per_token = 3;
constexpr std::int64_t image_tokens = 1'600;            // the most that a provider makes of one
constexpr std::size_t audio_bytes_per_token = 300;      // base64 of compressed speech, 32 tokens/s
constexpr std::size_t file_bytes_per_token = 20;        // pages of text and pictures
constexpr std::int64_t message_tokens = 4;              // its role and its borders
constexpr std::int64_t output_tokens_max = 10'000'000;  // no model writes so much

std::int64_t text_tokens(std::size_t bytes) {
    return static_cast<std::int64_t>((bytes + text_bytes_per_token - 1) / text_bytes_per_token);
}

std::int64_t tokens_of(const Part& part) {
    switch (part.kind) {
        case Part::Kind::text:
        case Part::Kind::refusal: return text_tokens(part.text_escaped.size());
        case Part::Kind::image: return image_tokens;
        case Part::Kind::audio:
            return static_cast<std::int64_t>(part.data_escaped.size() / audio_bytes_per_token) + 1;
        case Part::Kind::file:
            return static_cast<std::int64_t>(part.data_escaped.size() / file_bytes_per_token) +
                   image_tokens;
        case Part::Kind::other: break;
    }
    return text_tokens(part.raw.size());
}

std::int64_t thinking_tokens_of(const chat::ReasoningWish& wish) {
    const std::int64_t by_effort = wish.effort ? chat::thinking_tokens(*wish.effort) : 0;
    return std::min(wish.budget_tokens.value_or(by_effort), output_tokens_max);
}

}  // namespace

std::int64_t estimated_input_tokens(const chat::Request& request) {
    std::int64_t tokens = 0;
    for (const chat::Message& message : request.messages) {
        tokens += message_tokens + text_tokens(message.reasoning_escaped.size()) +
                  text_tokens(message.thinking_blocks_raw.size());
        for (const Part& part : message.parts) tokens += tokens_of(part);
        for (const chat::ToolCall& call : message.tool_calls)
            tokens += message_tokens + text_tokens(call.name.size()) +
                      text_tokens(call.arguments_escaped.size());
    }
    for (const chat::Tool& tool : request.tools)
        tokens += message_tokens + text_tokens(tool.name.size() + tool.description_escaped.size() +
                                               tool.parameters_raw.size());
    return tokens + text_tokens(request.output.schema_raw.size());
}

std::int64_t estimated_tokens(std::size_t bytes) { return text_tokens(bytes); }

std::int64_t reserved_output_tokens(const chat::Request& request,
                                    std::optional<std::int64_t> model_max, std::int64_t otherwise) {
    std::int64_t each = request.max_tokens.value_or(otherwise);
    if (model_max) each = std::min(each, *model_max);
    each = std::clamp<std::int64_t>(each, 0, output_tokens_max);
    // What is said of the answer alone; to some providers thinking comes on top of it.
    if (request.max_tokens) each += thinking_tokens_of(request.reasoning);
    return each * std::max<std::int64_t>(request.n, 1);
}

}  // namespace runnel::policy
