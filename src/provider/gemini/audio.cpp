#include "provider/gemini/audio.hpp"

#include "base/ascii.hpp"

#include <charconv>
#include <cstddef>

namespace runnel::provider::gemini {
namespace {

constexpr std::uint32_t bytes_per_sample = 2;
// Of the header up to the samples. A chunk of junk makes it a multiple of three, for base64.
constexpr std::uint32_t header_bytes = 54;

void append_number(std::string& out, std::uint32_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>((number >> (8 * i)) & 0xff);
}

std::string base64_of_threes(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three = three << 8 | static_cast<unsigned char>(bytes[i + k]);
        for (int shift = 18; shift >= 0; shift -= 6) out += digits[three >> shift & 63];
    }
    return out;
}

}  // namespace

bool is_samples(std::string_view media_type) {
    const std::string type = ascii::lowered(media_type.substr(0, media_type.find(';')));
    return type == "audio/l16" || type == "audio/pcm";
}

std::uint32_t samples_per_second(std::string_view media_type) {
    constexpr std::uint32_t usual = 24'000;
    constexpr std::string_view name = "rate=";
    const std::size_t at = media_type.find(name);
    if (at == std::string_view::npos) return usual;
    const std::string_view digits = media_type.substr(at + name.size());
    std::uint32_t rate = 0;
    const auto [_, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rate);
    return error == std::errc() && rate > 0 ? rate : usual;
}

std::string wav_header(std::uint32_t samples_per_second,
                       std::optional<std::uint32_t> sample_bytes) {
    constexpr std::uint32_t riff_before = 8;  // what its size does not count
    constexpr std::uint32_t most = 0xffffffff;
    const std::uint32_t data = sample_bytes.value_or(most - header_bytes);
    std::string header = "RIFF";
    append_number(header, data + header_bytes - riff_before, 4);
    header += "WAVEfmt ";
    append_number(header, 16, 4);  // bytes of this chunk
    append_number(header, 1, 2);   // bare samples
    append_number(header, 1, 2);   // one channel
    append_number(header, samples_per_second, 4);
    append_number(header, samples_per_second * bytes_per_sample, 4);
    append_number(header, bytes_per_sample, 2);
    append_number(header, 8 * bytes_per_sample, 2);
    header += "JUNK";
    append_number(header, 2, 4);
    append_number(header, 0, 2);
    header += "data";
    append_number(header, data, 4);
    return base64_of_threes(header);
}

std::uint32_t decoded_bytes(std::string_view base64) {
    while (base64.ends_with('=')) base64.remove_suffix(1);
    return static_cast<std::uint32_t>(base64.size() * 3 / 4);
}

}  // namespace runnel::provider::gemini
