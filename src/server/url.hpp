#pragma once

#include <string>
#include <string_view>

namespace runnel::server {

// Percent escapes resolved; a broken escape stays as it is.
std::string url_decoded(std::string_view text);

// True when the query has this name, with a value or without: "verbose" in "a=1&verbose".
bool has_flag(std::string_view query, std::string_view name);

}  // namespace runnel::server
