#include "guardrail/detector.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace runnel::guardrail {
namespace {

struct Between {
    char32_t first;
    char32_t last;
};

}  // namespace

char32_t PlacedMatch::before() const {
    return begin == 0 ? 0 : character_before(text, begin).character;
}

char32_t PlacedMatch::after() const {
    return end >= text.size() ? 0 : character_at(text, end).character;
}

std::expected<void, std::string> Detector::check(std::string_view item, std::size_t) const {
    const auto found = shapes(item);
    if (!found) return std::unexpected(found.error());
    return {};
}

std::expected<Shape, std::string> shape_of(std::string_view pattern) {
    auto tree = read_pattern(pattern);
    if (!tree) return std::unexpected(std::move(tree.error()));
    return Shape{.ends = std::string(pattern), .whole = std::move(*tree)};
}

bool belongs_to_words(char32_t c) {
    if (c < 0x80) return is_word_character(c);
    // Thai, Lao, Burmese, Khmer, Chinese, Japanese and Korean: no character says where a word ends.
    constexpr std::array without_spaces{
        Between{0xE00, 0xEFF},   Between{0x1000, 0x109F}, Between{0x1100, 0x11FF},
        Between{0x1780, 0x17FF}, Between{0x2E80, 0xA4CF}, Between{0xAC00, 0xD7FF},
        Between{0xF900, 0xFAFF}, Between{0xFF66, 0xFFDC}, Between{0x20000, 0x3FFFF}};
    if (std::ranges::any_of(without_spaces,
                            [&](const Between& r) { return c >= r.first && c <= r.last; }))
        return false;
    // Letters, their marks, and digits.
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL;
}

bool is_whole_word(const PlacedMatch& match) {
    const char32_t first = character_at(match.text, match.begin).character;
    const char32_t last = character_before(match.text, match.end).character;
    const auto joined = [](char32_t a, char32_t b) {
        return b != 0 && belongs_to_words(a) && belongs_to_words(b);
    };
    return !joined(first, match.before()) && !joined(last, match.after());
}

}  // namespace runnel::guardrail
