#pragma once

#include "api/request_value.hpp"

#include <optional>

namespace runnel::api {

// The many ways in which clients ask for reasoning, read as one wish: reasoning_effort (OpenAI),
// reasoning (OpenRouter, Responses), thinking (Anthropic, DeepSeek, Moonshot), include_reasoning.
class ReasoningFields {
public:
    Result<void> read_effort(Value& value);
    Result<void> read_reasoning(Value& value);
    Result<void> read_thinking(Value& value);
    Result<void> read_include(Value& value);

    // What all of them say together.
    chat::ReasoningWish wish() const;

private:
    chat::ReasoningWish told_{};
    std::optional<chat::Effort>
        implied_effort_{};  // of a mere switch: it counts where no effort is told
};

}  // namespace runnel::api
