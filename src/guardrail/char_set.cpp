#include "guardrail/char_set.hpp"

#include <algorithm>

namespace runnel::guardrail {
namespace {

bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

void CharSet::add(Range range) {
    // Everything that overlaps or touches it becomes one with it.
    const auto first = std::ranges::find_if(
        ranges_, [&](const Range& other) { return other.last + 1 >= range.first; });
    auto last = first;
    while (last != ranges_.end() && last->first <= range.last + 1) {
        range.first = std::min(range.first, last->first);
        range.last = std::max(range.last, last->last);
        ++last;
    }
    ranges_.insert(ranges_.erase(first, last), range);
}

void CharSet::add(const CharSet& other) {
    for (const Range& range : other.ranges_) add(range);
}

CharSet CharSet::inverted() const {
    CharSet out;
    char32_t next = 0;
    for (const Range& range : ranges_) {
        if (range.first > next) out.ranges_.push_back({next, range.first - 1});
        next = range.last + 1;
    }
    if (next <= last_code_point) out.ranges_.push_back({next, last_code_point});
    return out;
}

CharSet CharSet::in_ascii_cases() const {
    CharSet out = *this;
    for (char32_t c = 'A'; c <= 'z'; ++c)
        if (is_ascii_letter(c) && contains(c)) out.add({c ^ 0x20, c ^ 0x20});
    return out;
}

CharSet CharSet::in_any_case() const {
    constexpr char32_t kelvin = 0x212A, long_s = 0x17F;  // are a k and an s in another case
    CharSet out = in_ascii_cases();
    if (out.contains('k')) out.add({kelvin, kelvin});
    if (out.contains('s')) out.add({long_s, long_s});
    if (ranges_.empty() || ranges_.back().last < 0x80) return out;
    out.add({0x80, last_code_point});
    for (const char32_t c : {U'k', U'K', U's', U'S'}) out.add({c, c});
    return out;
}

bool CharSet::contains(char32_t character) const {
    const auto found = std::ranges::lower_bound(ranges_, character, {}, &Range::last);
    return found != ranges_.end() && found->first <= character;
}

const CharSet& word_characters() {
    static const CharSet set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    return set;
}

bool is_word_character(char32_t c) {
    return is_ascii_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace runnel::guardrail
