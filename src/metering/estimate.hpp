#pragma once

#include "chat/operation.hpp"
#include "chat/request.hpp"

#include <cstdint>
#include <optional>

// How many tokens a request may take, before anybody has counted them: rather too many than too
// few, because what was reserved and not used comes back.
namespace runnel::metering {

std::int64_t estimated_input_tokens(const chat::Request& request);
// Of text that was written.
std::int64_t estimated_tokens(std::size_t bytes);
std::int64_t estimated_thinking_tokens(const chat::ReasoningWish& wish);

// Of all its choices. `model_max` is what the model is cut down to or can write at most;
// `otherwise` is for requests of which nobody says a maximum.
std::int64_t reserved_output_tokens(const chat::Operation& operation,
                                    std::optional<std::int64_t> model_max, std::int64_t otherwise);

}  // namespace runnel::metering
