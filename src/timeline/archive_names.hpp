#pragma once

#include "timeline/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

// Words that archives are written and read with.
namespace runnel::timeline {

// What is written; archives of the first version are read, too, as far as they hold nothing in
// OpenAI's JSON.
inline constexpr std::int64_t archive_version = 2;

inline constexpr std::array<std::string_view, 4> server_tool_states{"created", "running",
                                                                    "completed", "failed"};
inline constexpr std::array<std::string_view, 2> media_kinds{"image", "audio"};
inline constexpr std::array<std::string_view, 5> citation_kinds{"address", "characters", "pages",
                                                                "blocks", "search_result"};
inline constexpr std::array<std::string_view, 7> native_kinds{
    "item", "addition", "item_fields", "answer", "finish", "usage", "event"};
inline constexpr std::array<std::string_view, 3> logprobs_of{"text", "refusal", "reasoning"};
inline constexpr std::array<std::string_view, 2> hold_over_reasons{"time", "tool_called"};

template <class Enum>
    requires std::is_enum_v<Enum>
std::string_view name_in(std::span<const std::string_view> names, Enum value) {
    return names[static_cast<std::size_t>(value)];
}

// The enumerator whose name stands in its place.
template <class Enum>
    requires std::is_enum_v<Enum>
std::optional<Enum> named_in(std::span<const std::string_view> names, std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<Enum>(i);
    return std::nullopt;
}

}  // namespace runnel::timeline
