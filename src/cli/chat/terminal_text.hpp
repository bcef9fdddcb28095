#pragma once

#include <string>
#include <string_view>

namespace runnel::cli {

// Text of others, made harmless for a terminal: what would move the cursor, change colours, write
// into the clipboard or turn the reading direction is shown as a sign instead. Line breaks and tabs
// stay.
std::string for_terminal(std::string_view utf8);

}  // namespace runnel::cli
