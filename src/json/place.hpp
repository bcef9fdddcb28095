#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// How messages write what stands somewhere in JSON.
namespace runnel::json {

inline constexpr std::size_t shown_bytes = 64;  // of a name or a short text

// As much of a text as anybody wants to read, with … for the rest.
std::string shortened(std::string_view text, std::size_t bytes_max);
// The same for a name or a short text, in quotes.
std::string in_quotes(std::string_view plain);
// How a path goes on to this member of an object: ".price", or ["of item"] where a name is unusual.
std::string step_to_member(std::string_view name);

}  // namespace runnel::json
