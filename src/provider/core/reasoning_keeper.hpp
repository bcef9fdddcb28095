#pragma once

#include "provider/core/turn.hpp"
#include "provider/presets.hpp"

#include <string>
#include <string_view>

namespace runnel::provider {

// Collects the reasoning of an answer for providers that want it back with the results of the tools
// it called, and that clients strip: its text (DeepSeek, Moonshot) or the signed reasoning_details
// (OpenRouter, MiniMax).
class ReasoningKeeper {
public:
    explicit ReasoningKeeper(ReasoningReplay replay);

    void add_text(timeline::Choice choice, std::string_view escaped);
    void add_details(timeline::Choice choice, std::string_view raw_array);
    // Makes what came so far the turn's state: a JSON string, or an array of details.
    void tell(Turn& turn);
    std::size_t held_bytes() const { return kept_.size(); }

private:
    enum class Keep { nothing, text, details } keep_ = Keep::nothing;
    std::string kept_;  // escaped text, or raw arrays one after the other
    std::size_t told_bytes_ = 0;
};

// Joins the pieces of reasoning_details that a stream cut apart: those of the same index and type
// become one, their text joined, their other fields taken from the last that has them. `raw_arrays`
// are JSON arrays, one after the other.
std::string merged_reasoning_details(std::string_view raw_arrays);

}  // namespace runnel::provider
