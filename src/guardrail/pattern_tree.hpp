#pragma once

#include "guardrail/char_set.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::guardrail {

// A regular expression, read. Hyperscan finds what patterns match; this tells how a match can
// begin, so that a stream holds back what may be the beginning of one and nothing else.
struct PatternTree {
    enum class Kind { nothing, chars, sequence, choice, repeat, assertion };
    enum class Assertion : unsigned char {
        word_boundary = 1,
        no_word_boundary = 2,
        text_begin = 4,
        line_begin = 8,
        end = 16,  // of the text or of a line
    };
    static constexpr int unbounded = -1;

    Kind kind = Kind::nothing;
    CharSet chars{};
    Assertion assertion{};
    int least = 1;  // repeat
    int most = 1;
    std::vector<PatternTree> parts{};  // of a sequence or choice; one for repeat
};

// Reads what of Perl's syntax Hyperscan takes: all but look-around, back-references, atomic groups,
// \p{…} and (?x). The error says what is wrong with the pattern and, where there is one, the cure.
std::expected<PatternTree, std::string> read_pattern(std::string_view pattern);

// The character that `text` has at `at`, and where the next one begins. What is not UTF-8 counts as
// a character for each byte.
struct Decoded {
    char32_t character;
    std::size_t end;
};
Decoded character_at(std::string_view text, std::size_t at);
// The same for the character before `at`, which must not be 0; `end` is where it begins.
Decoded character_before(std::string_view text, std::size_t at);

}  // namespace runnel::guardrail
