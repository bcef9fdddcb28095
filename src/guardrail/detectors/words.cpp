#include "base/utf8.hpp"
#include "guardrail/registry.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <optional>

namespace runnel::guardrail {
namespace {

constexpr std::size_t word_bytes = 200;

bool is_word(std::string_view text) {
    return !text.empty() && text.size() <= word_bytes && is_utf8(text) &&
           std::ranges::none_of(text, [](char c) { return c >= 0 && c < ' '; });
}

// A letter that Unicode can also write as another one and a mark: é as e and U+0301.
struct SplitLetter {
    char32_t base;  // may be such a letter again
    char32_t mark;
};

// These code points as one, where Unicode has one for them.
std::optional<char32_t> composed(std::span<utf8proc_int32_t> letters) {
    constexpr auto compose = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    const auto count = static_cast<utf8proc_ssize_t>(letters.size());
    if (utf8proc_normalize_utf32(letters.data(), count, compose) != 1) return std::nullopt;
    return static_cast<char32_t>(letters.front());
}

std::optional<SplitLetter> split_letter(char32_t letter) {
    constexpr std::size_t parts_max = 4;  // U+1F82 has four
    std::array<utf8proc_int32_t, parts_max> parts{};
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(letter), parts.data(),
                                               parts.size(), UTF8PROC_DECOMPOSE, nullptr);
    if (count < 2 || count > static_cast<utf8proc_ssize_t>(parts.size())) return std::nullopt;
    const auto last = static_cast<std::size_t>(count - 1);
    const auto base = composed(std::span(parts).first(last));
    if (!base) return std::nullopt;
    return SplitLetter{*base, static_cast<char32_t>(parts[last])};
}

// Letters and their accents are one where they can be.
std::u32string letters_of(std::string_view text) {
    std::u32string letters;
    for (std::size_t at = 0; at < text.size();) {
        const Decoded decoded = character_at(text, at);
        at = decoded.end;
        std::array<utf8proc_int32_t, 2> pair{
            letters.empty() ? 0 : static_cast<utf8proc_int32_t>(letters.back()),
            static_cast<utf8proc_int32_t>(decoded.character)};
        const auto joined = letters.empty() ? std::nullopt : composed(pair);
        if (joined) letters.pop_back();
        letters += joined.value_or(decoded.character);
    }
    return letters;
}

// In any case, in one or with its accents apart.
PatternTree letter_tree(char32_t letter) {
    using Kind = PatternTree::Kind;
    PatternTree in_one{.kind = Kind::chars, .chars = CharSet::of(letter).in_any_case()};
    const auto split = split_letter(letter);
    if (!split) return in_one;
    PatternTree mark{.kind = Kind::chars, .chars = CharSet::of(split->mark)};
    PatternTree apart{.kind = Kind::sequence, .parts = {letter_tree(split->base), std::move(mark)}};
    return {.kind = Kind::choice, .parts = {std::move(in_one), std::move(apart)}};
}

// The same for Hyperscan.
std::string letter_pattern(char32_t letter) {
    const auto written = [](char32_t c) {
        return fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(c));
    };
    const auto split = split_letter(letter);
    if (!split) return written(letter);
    return fmt::format("(?:{}|{}{})", written(letter), letter_pattern(split->base),
                       written(split->mark));
}

// Words and short texts, found as whole words, in any case.
class WordsDetector final : public Detector {
public:
    std::string_view key() const override { return "words"; }

    std::expected<Shapes, std::string> shapes(std::string_view item) const override {
        if (!is_word(item)) return std::unexpected("it must be a word or a short text on one line");
        Shape shape{.ends = "(?i)", .whole = {.kind = PatternTree::Kind::sequence}};
        for (const char32_t letter : letters_of(item)) {
            shape.ends += letter_pattern(letter);
            shape.whole.parts.push_back(letter_tree(letter));
        }
        shape.confirms = is_whole_word;
        return Shapes{std::move(shape)};
    }
};

}  // namespace

const Detector& words_detector() {
    static const WordsDetector detector;
    return detector;
}

}  // namespace runnel::guardrail
