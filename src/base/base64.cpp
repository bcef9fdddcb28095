#include "base/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace runnel {
namespace {

constexpr std::uint8_t no_digit = 0xFF;
constexpr std::uint8_t skipped = 0xFE;

constexpr std::array<std::uint8_t, 256> digit_values = [] {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::size_t i = 0; i < digits.size(); ++i)
        values[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
    values['-'] = 62;
    values['_'] = 63;
    for (const char c : {'=', '\r', '\n'}) values[static_cast<unsigned char>(c)] = skipped;
    return values;
}();

}  // namespace

std::string base64(std::string_view bytes) {
    std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                       reinterpret_cast<const unsigned char*>(bytes.data()),
                                       static_cast<int>(bytes.size()));
    out.resize(static_cast<std::size_t>(length));
    return out;
}

std::string base64url(std::string_view bytes) {
    std::string out = base64(bytes);
    while (out.ends_with('=')) out.pop_back();
    std::ranges::replace(out, '+', '-');
    std::ranges::replace(out, '/', '_');
    return out;
}

bool append_decoded_base64(std::string& out, std::string_view text) {
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::uint8_t digit = digit_values[static_cast<unsigned char>(c)];
        if (digit == skipped) continue;
        if (digit == no_digit) return false;
        bits = bits << 6 | digit;
        if (++count % 4 != 1) out += static_cast<char>(bits >> (6 - 2 * ((count - 1) % 4)) & 0xFF);
    }
    return true;
}

}  // namespace runnel
