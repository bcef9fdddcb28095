#pragma once

#include <span>
#include <vector>

namespace runnel::guardrail {

// A set of characters, by their code points.
class CharSet {
public:
    struct Range {
        char32_t first;
        char32_t last;
        friend bool operator==(const Range&, const Range&) = default;
        friend auto operator<=>(const Range&, const Range&) = default;
    };

    CharSet() = default;
    CharSet(std::initializer_list<Range> ranges) {
        for (const Range& range : ranges) add(range);
    }
    static CharSet of(char32_t character) { return {{character, character}}; }
    static CharSet any() { return {{0, last_code_point}}; }

    void add(Range range);
    void add(const CharSet& other);
    CharSet inverted() const;
    // With the other case of each ASCII letter.
    CharSet in_ascii_cases() const;
    // With the other case of every letter, and more: where there is anything beyond ASCII in it,
    // all of that counts. Hyperscan has tables of its own for what is the other case of what, and
    // this may not know of less.
    CharSet in_any_case() const;

    bool contains(char32_t character) const;
    std::span<const Range> ranges() const { return ranges_; }

    friend bool operator==(const CharSet&, const CharSet&) = default;
    friend auto operator<=>(const CharSet&, const CharSet&) = default;

    static constexpr char32_t last_code_point = 0x10FFFF;

private:
    std::vector<Range> ranges_;  // sorted, and none touches the next
};

// Letters, digits and _ of ASCII: what \w and \b mean.
const CharSet& word_characters();
bool is_word_character(char32_t character);

}  // namespace runnel::guardrail
