#pragma once

#include <span>
#include <string>

namespace runnel::dialect {

// One `audio` object from the pieces of a stream: `data` and `transcript` of all of them, the last
// of what else they say. Each piece's data is base64 that ends with itself, padding and all.
std::string joined_audio(std::span<const std::string> raws);

}  // namespace runnel::dialect
