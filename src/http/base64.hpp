#pragma once

#include <string>
#include <string_view>

namespace runnel::http {

// With padding, in the alphabet of MIME.
std::string base64(std::string_view bytes);

}  // namespace runnel::http
