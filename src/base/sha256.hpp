#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace runnel {

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::string_view bytes);

// HMAC with it.
Digest hmac_sha256(std::string_view key, std::string_view message);

std::string_view bytes_of(const Digest& digest);

// In small letters.
std::string in_hexadecimal(const Digest& digest);

}  // namespace runnel
