#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::provider::gemini {

// Gemini speaks in bare samples: 16 bits each, little-endian, one channel. `audio/L16;rate=24000`
bool is_samples(std::string_view media_type);
std::uint32_t samples_per_second(std::string_view media_type);

// What makes a WAV file of the samples that follow, as base64 without padding, so that theirs can
// be put behind it. Where their number is not known, the file says the largest there is.
std::string wav_header(std::uint32_t samples_per_second, std::optional<std::uint32_t> sample_bytes);

// The bytes that base64 text stands for.
std::uint32_t decoded_bytes(std::string_view base64);

}  // namespace runnel::provider::gemini
