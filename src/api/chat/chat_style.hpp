#pragma once

#include <string_view>

namespace runnel::api {

// What tells one chat completion dialect from another, in streams and in whole answers. All of them
// are OpenAI's shape; where they differ, each follows the clients it was made for.
struct ChatStyle {
    std::string_view reasoning_key = "reasoning_content";
    std::string_view system_fingerprint{};  // none where it is empty
    // Whether prompt_tokens counts what came from a cache or went into one.
    enum class PromptTokens { all, uncached } prompt_tokens = PromptTokens::all;
    // Text said before a tool that the gateway ran: a part of the answer, or something beside it.
    enum class InterimText { content, apart } interim_text = InterimText::content;

    // Streams only.
    enum class Logprobs { where_given, always } logprobs = Logprobs::where_given;
    enum class Role { own_chunk, first_chunk } role = Role::own_chunk;
    enum class NullUsage { where_asked, always, never } null_usage = NullUsage::where_asked;
};

inline constexpr ChatStyle openai_style{};

inline constexpr ChatStyle timeline_style{
    .reasoning_key = "reasoning",
    .system_fingerprint = "fp_gw01",
    .prompt_tokens = ChatStyle::PromptTokens::uncached,
    .logprobs = ChatStyle::Logprobs::always,
    .role = ChatStyle::Role::first_chunk,
    .null_usage = ChatStyle::NullUsage::always,
};

inline constexpr ChatStyle agent_style{
    .interim_text = ChatStyle::InterimText::apart,
    .role = ChatStyle::Role::first_chunk,
    .null_usage = ChatStyle::NullUsage::never,
};

}  // namespace runnel::api
