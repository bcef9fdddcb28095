#pragma once

#include <cstdint>
#include <string_view>

namespace runnel::provider::anthropic {

// What a model accepts; what it doesn't is answered with 400, so it must not be sent.
struct Traits {
    // How thinking is asked for: not at all, by a budget of tokens, by `adaptive` with an effort,
    // or by either.
    enum class Thinking { never, budget, adaptive, either } thinking;
    // How it is switched off: it is off by default, it must be said, or it can't be.
    enum class ThinkingOff { by_default, said, impossible } off;
    // temperature, top_p and top_k: all of them, not temperature and top_p together, or none.
    enum class Sampling { free, exclusive, refused } sampling;
    bool xhigh_effort;            // else the effort above high is max
    bool native_schema;           // output_config.format and strict tools
    bool prefill;                 // a conversation may end with the beginning of the answer
    bool forced_tool;             // tool_choice any and tool
    std::int64_t output_default;  // max_tokens when the client names none: it is mandatory
    std::int64_t output_max;      // 0: unknown
};

// `model` may have a host's decoration around it: "anthropic/claude-haiku-4.5",
// "anthropic.claude-sonnet-4-…-v1:0".
const Traits& traits_of(std::string_view model);

}  // namespace runnel::provider::anthropic
