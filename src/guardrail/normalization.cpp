#include "guardrail/normalization.hpp"

#include "guardrail/pattern_tree.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace runnel::guardrail {
namespace {

constexpr std::size_t changes_max = 1'000'000;  // 24 MB of them

// Nobody sees it. Unicode reserves some places for characters to come that nobody will see either;
// utf8proc has only those that are there.
bool is_unseen(char32_t c, const utf8proc_property_t& property) {
    return property.ignorable || c == 0x2065 || (c >= 0xFFF0 && c <= 0xFFF8) ||
           (c >= 0xE0000 && c <= 0xE0FFF);
}

// A dash between words is none; as for the minus sign, it looks like one.
bool is_hyphen(char32_t c) {
    return (c >= 0x2010 && c <= 0x2013) || c == 0x2212 || c == 0xFE63 || c == 0xFF0D;
}

// None: it stays as it is.
std::optional<std::string_view> normalized_as(char32_t character) {
    const auto& property = *utf8proc_get_property(static_cast<utf8proc_int32_t>(character));
    if (is_unseen(character, property)) return "";
    if (property.category == UTF8PROC_CATEGORY_ZS && character != ' ') return " ";
    if (is_hyphen(character)) return "-";
    return std::nullopt;
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

std::size_t Normalization::first_changed(std::string_view text) {
    std::size_t at = skip_ascii(text, 0);
    while (at < text.size()) {
        const Decoded decoded = character_at(text, at);
        if (normalized_as(decoded.character)) return at;
        at = skip_ascii(text, decoded.end);
    }
    return at;
}

bool Normalization::append(std::string_view original, std::uint64_t original_begin,
                           std::string& normalized, std::uint64_t normalized_end) {
    if (changes_.empty()) changes_.push_back({normalized_end, normalized_end, original_begin});
    while (!original.empty()) {
        const std::size_t changed = first_changed(original);
        normalized += original.substr(0, changed);
        normalized_end += changed;
        if (changed == original.size()) return true;
        const Decoded decoded = character_at(original, changed);
        const std::string_view replacement = *normalized_as(decoded.character);
        normalized += replacement;
        original.remove_prefix(decoded.end);
        original_begin += decoded.end;
        if (replacement.empty() && changes_.size() > 1 &&
            changes_.back().normalized_begin == normalized_end) {
            changes_.back().original_end = original_begin;
            continue;
        }
        if (changes_.size() >= changes_max) return false;
        changes_.push_back({normalized_end, normalized_end + replacement.size(), original_begin});
        normalized_end += replacement.size();
    }
    return true;
}

std::uint64_t Normalization::original_begin(std::uint64_t normalized) const {
    const auto next = std::ranges::upper_bound(changes_, normalized, {}, &Change::normalized_end);
    if (next == changes_.begin()) return normalized;
    const Change& last = *std::prev(next);
    return last.original_end + (normalized - last.normalized_end);
}

// Unlike a beginning, it comes before what nobody sees there.
std::uint64_t Normalization::original_end(std::uint64_t normalized) const {
    const auto next = std::ranges::lower_bound(changes_, normalized, {}, &Change::normalized_begin);
    if (next == changes_.begin()) return normalized;
    const Change& last = *std::prev(next);
    return last.original_end + (normalized - last.normalized_end);
}

std::uint64_t Normalization::normalized_at(std::uint64_t original) const {
    const auto next = std::ranges::upper_bound(changes_, original, {}, &Change::original_end);
    if (next == changes_.begin()) return original;
    const Change& last = *std::prev(next);
    const std::uint64_t normalized = last.normalized_end + (original - last.original_end);
    return next == changes_.end() ? normalized : std::min(normalized, next->normalized_begin);
}

void Normalization::forget_before(std::uint64_t normalized) {
    const auto next = std::ranges::lower_bound(changes_, normalized, {}, &Change::normalized_begin);
    if (next - changes_.begin() > 1) changes_.erase(changes_.begin(), std::prev(next));
}

}  // namespace runnel::guardrail
