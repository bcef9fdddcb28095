#pragma once

#include <cstddef>
#include <string_view>

namespace runnel::api {

// How many tools clients may bring, and what they may call them: more than most providers take.
// Where one takes less, its names stand for the client's (provider/core/tool_names.hpp), and it
// says itself that there are too many.
inline constexpr std::size_t tools_max = 1024;
inline constexpr std::size_t tool_name_bytes_max = 256;

// Letters, digits and these marks.
inline constexpr std::string_view tool_name_marks = "_-.:/";
bool is_tool_name(std::string_view name);

}  // namespace runnel::api
