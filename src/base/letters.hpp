#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace runnel {

// What may stand in a JSON string as it is: all but quotes, backslashes and control characters, or
// of those only what is printable ASCII.
enum class Letters { unescaped, printable_ascii };

// The place of the first byte at or after `from` that is no such letter; the text's size when all
// are. Eight bytes at a time, the last ones filled up with spaces: a byte below a bound, or equal
// to another (zero after the exclusive or), borrows from its own top bit.
template <Letters letters>
std::size_t find_other(std::string_view text, std::size_t from) {
    constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    const auto below = [](std::uint64_t word, std::uint64_t bound) {
        return (word - ones * bound) & ~word & tops;
    };
    const auto has_other = [&](std::uint64_t word) {
        std::uint64_t other =
            below(word, 0x20) | below(word ^ ones * '"', 1) | below(word ^ ones * '\\', 1);
        if constexpr (letters == Letters::printable_ascii)
            other |= (word & tops) | below(word ^ ones * 0x7F, 1);
        return other != 0;
    };
    std::uint64_t word;
    for (std::size_t at = from; at < text.size(); at += sizeof word) {
        if (const std::size_t left = text.size() - at; left >= sizeof word) {
            std::memcpy(&word, text.data() + at, sizeof word);
        } else {
            word = ones * ' ';
            std::memcpy(&word, text.data() + at, left);
        }
        if (!has_other(word)) continue;
        while (!has_other(ones * static_cast<unsigned char>(text[at]))) ++at;
        return at;
    }
    return text.size();
}

}  // namespace runnel
