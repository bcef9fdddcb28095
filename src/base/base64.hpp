#pragma once

#include <string>
#include <string_view>

namespace runnel {

// With padding, in the alphabet of MIME.
std::string base64(std::string_view bytes);

// In the alphabet that URLs take, without padding.
std::string base64url(std::string_view bytes);

// Appends what the text stands for. Both alphabets are taken, and padding and line breaks mean
// nothing. False where another character is in it: then a part may have been appended.
bool append_decoded_base64(std::string& out, std::string_view text);

}  // namespace runnel
