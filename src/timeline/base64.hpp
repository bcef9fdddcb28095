#pragma once

#include <string>
#include <string_view>

namespace runnel::timeline {

// Goes on with base64 text: what comes of it is base64 of the bytes of both, though each was
// written to end with itself, padding and all.
void append_base64(std::string& text, std::string_view piece);

}  // namespace runnel::timeline
