#pragma once

#include <string>
#include <string_view>

namespace runnel::server {

// Percent escapes resolved; a broken escape stays as it is.
std::string url_decoded(std::string_view text);

}  // namespace runnel::server
