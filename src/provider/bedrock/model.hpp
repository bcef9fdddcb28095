#pragma once

#include "provider/core/tool_names.hpp"

#include <string_view>

namespace runnel::provider::bedrock {

inline constexpr ToolNameRule tool_name_rule{};  // of Converse

// What a model's name tells of what it takes; what it doesn't is answered with 400.
struct Model {
    enum class Family { other, claude, nova, gpt_oss, mistral } family = Family::other;
    // Nova from 2 on thinks where it is asked to.
    bool thinks = false;

    bool is_claude() const { return family == Family::claude; }
    // Marks in the prompt up to which it is kept.
    bool takes_cache_points() const { return is_claude() || family == Family::nova; }
};

// `name` is a model's id ("anthropic.claude-haiku-4-5-20251001-v1:0"), an inference profile's
// ("us.anthropic.…"), or an ARN that may or may not have one of these in it.
Model model_named(std::string_view name);

}  // namespace runnel::provider::bedrock
