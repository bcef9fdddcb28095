#include "policy/guardrail_reading.hpp"

#include "policy/pattern_tree.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace runnel::policy {
namespace {

constexpr std::size_t changes_max = 1'000'000;  // 24 MB of them

struct Likeness {
    char32_t first;
    char32_t last;
    std::string_view reads_as;
};
// Unicode's spaces, its hyphens (a dash between words is none), and most of what it calls default
// ignorable, in the order of their code points.
constexpr std::array likenesses{
    Likeness{0xA0, 0xA0, " "},     Likeness{0xAD, 0xAD, ""},       Likeness{0x34F, 0x34F, ""},
    Likeness{0x61C, 0x61C, ""},    Likeness{0x1680, 0x1680, " "},  Likeness{0x180B, 0x180F, ""},
    Likeness{0x2000, 0x200A, " "}, Likeness{0x200B, 0x200F, ""},   Likeness{0x2010, 0x2013, "-"},
    Likeness{0x202A, 0x202E, ""},  Likeness{0x202F, 0x202F, " "},  Likeness{0x205F, 0x205F, " "},
    Likeness{0x2060, 0x206F, ""},  Likeness{0x2212, 0x2212, "-"},  Likeness{0x3000, 0x3000, " "},
    Likeness{0xFE00, 0xFE0F, ""},  Likeness{0xFE63, 0xFE63, "-"},  Likeness{0xFEFF, 0xFEFF, ""},
    Likeness{0xFF0D, 0xFF0D, "-"}, Likeness{0xE0000, 0xE0FFF, ""},
};

// None: as it is written.
std::optional<std::string_view> reading_of(char32_t character) {
    const auto row = std::ranges::lower_bound(likenesses, character, {}, &Likeness::last);
    if (row == likenesses.end() || character < row->first) return std::nullopt;
    return row->reads_as;
}

std::size_t skip_ascii(std::string_view text, std::size_t at) {
    constexpr std::uint64_t high_bits = 0x8080808080808080;
    for (std::uint64_t eight = 0; at + sizeof(eight) <= text.size(); at += sizeof(eight)) {
        std::memcpy(&eight, text.data() + at, sizeof(eight));
        if ((eight & high_bits) != 0) break;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
    return at;
}

}  // namespace

std::size_t GuardrailReading::first_odd(std::string_view text) {
    std::size_t at = skip_ascii(text, 0);
    while (at < text.size()) {
        const Decoded decoded = character_at(text, at);
        if (reading_of(decoded.character)) return at;
        at = skip_ascii(text, decoded.end);
    }
    return at;
}

bool GuardrailReading::append(std::string_view written, std::uint64_t written_begin,
                              std::string& seen, std::uint64_t seen_end) {
    if (changes_.empty()) changes_.push_back({seen_end, seen_end, written_begin});
    while (!written.empty()) {
        const std::size_t odd = first_odd(written);
        seen += written.substr(0, odd);
        seen_end += odd;
        if (odd == written.size()) return true;
        const Decoded decoded = character_at(written, odd);
        const std::string_view reads_as = *reading_of(decoded.character);
        seen += reads_as;
        written.remove_prefix(decoded.end);
        written_begin += decoded.end;
        if (reads_as.empty() && changes_.size() > 1 && changes_.back().seen_begin == seen_end) {
            changes_.back().written_end = written_begin;
            continue;
        }
        if (changes_.size() >= changes_max) return false;
        changes_.push_back({seen_end, seen_end + reads_as.size(), written_begin});
        seen_end += reads_as.size();
    }
    return true;
}

std::uint64_t GuardrailReading::written_begin(std::uint64_t seen) const {
    const auto next = std::ranges::upper_bound(changes_, seen, {}, &Change::seen_end);
    if (next == changes_.begin()) return seen;
    const Change& last = *std::prev(next);
    return last.written_end + (seen - last.seen_end);
}

// Unlike a beginning, it comes before what nobody sees there.
std::uint64_t GuardrailReading::written_end(std::uint64_t seen) const {
    const auto next = std::ranges::lower_bound(changes_, seen, {}, &Change::seen_begin);
    if (next == changes_.begin()) return seen;
    const Change& last = *std::prev(next);
    return last.written_end + (seen - last.seen_end);
}

std::uint64_t GuardrailReading::seen_at(std::uint64_t written) const {
    const auto next = std::ranges::upper_bound(changes_, written, {}, &Change::written_end);
    if (next == changes_.begin()) return written;
    const Change& last = *std::prev(next);
    const std::uint64_t seen = last.seen_end + (written - last.written_end);
    return next == changes_.end() ? seen : std::min(seen, next->seen_begin);
}

void GuardrailReading::forget_before(std::uint64_t seen) {
    const auto next = std::ranges::lower_bound(changes_, seen, {}, &Change::seen_begin);
    if (next - changes_.begin() > 1) changes_.erase(changes_.begin(), std::prev(next));
}

}  // namespace runnel::policy
