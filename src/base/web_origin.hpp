#pragma once

#include <string>
#include <string_view>

namespace runnel {

// An origin as browsers write it, so that two can be compared as they are: in small letters and
// without the port that its scheme has anyway. "HTTPS://App.example.com:443" is
// "https://app.example.com".
std::string web_origin(std::string_view text);

}  // namespace runnel
