#pragma once

#include "json/writer.hpp"
#include "timeline/usage.hpp"

#include <span>
#include <string>

// What OpenAI's streamed chunks and whole answers have in common.
namespace runnel::dialect {

// The usage object. Every prompt token is in prompt_tokens, from a cache or not; what was not
// reported is absent.
void write_usage(json::Writer& writer, const timeline::Usage& usage);

// One logprobs object for the tokens of several, in their order.
std::string joined_logprobs(std::span<const std::string> raws);

}  // namespace runnel::dialect
