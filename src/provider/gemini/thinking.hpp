#pragma once

#include "chat/request.hpp"
#include "provider/gemini/model.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace runnel::provider::gemini {

// A thinkingConfig: a level or a budget, never both.
struct Thinking {
    std::string_view level{};
    std::optional<std::int64_t> budget{};
    bool shown = false;  // summaries of the thoughts come with the answer
};

// Nothing when the model is left to itself. Gemini counts thoughts as output, so a token limit also
// bounds them: an answer must not be empty because all of it was thought.
std::optional<Thinking> thinking_for(const Model& model, const chat::ReasoningWish& wish,
                                     std::optional<std::int64_t> max_tokens);

}  // namespace runnel::provider::gemini
