#pragma once

#include "base/error.hpp"
#include "dialect/chat_style.hpp"
#include "json/writer.hpp"
#include "timeline/usage.hpp"

#include <span>
#include <string>

// What OpenAI's streamed chunks and whole answers have in common.
namespace runnel::dialect {

// The usage object. What was not reported is absent; total_tokens is everything, whatever
// prompt_tokens counts.
void write_usage(json::Writer& writer, const timeline::Usage& usage,
                 ChatStyle::PromptTokens prompt_tokens);

// The frame that tells of a failure in the middle of a stream.
void append_error_frame(std::string& out, const Error& error);

// One logprobs object for the tokens of several, in their order.
std::string joined_logprobs(std::span<const std::string> raws);

}  // namespace runnel::dialect
