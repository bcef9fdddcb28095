#include "base/percent_encoding.hpp"

#include "base/ascii.hpp"

#include <boost/url/decode_view.hpp>
#include <boost/url/pct_string_view.hpp>

#include <charconv>

namespace runnel {

// By hand: Boost.URL's is noexcept, so that the process would end where memory does.
std::string percent_encoded(std::string_view text, std::string_view kept) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (ascii::is_alphanumeric(c) || std::string_view("-._~").contains(c) || kept.contains(c)) {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return out;
}

std::optional<std::string> percent_decoded_strictly(std::string_view text) {
    const auto escaped = boost::urls::make_pct_string_view({text.data(), text.size()});
    if (!escaped) return std::nullopt;
    std::string out;
    out.reserve(escaped->decoded_size());
    for (const char c : **escaped) out += c;
    return out;
}

// Boost.URL refuses what this must live with: what clients write into paths and queries.
std::string percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace runnel
