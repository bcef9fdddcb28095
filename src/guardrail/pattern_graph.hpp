#pragma once

#include "guardrail/pattern_tree.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace runnel::guardrail {

// Several patterns as one graph of steps: each step takes one character of a certain set, and knows
// the steps that can come right before it. Read backwards from any place of a text, the graph tells
// where a match that ends there begins, and where a match that is still unfinished there would have
// begun. (It is the Glushkov automaton, turned round.)
//
// It takes assertions in the middle of a pattern, and other cases of letters beyond ASCII, for
// granted: what it finds may be more than a match, never less.
class PatternGraph {
public:
    using Step = std::uint32_t;
    using Symbol = std::uint16_t;  // characters that all patterns treat alike

    struct Pattern {
        Step begin;              // its steps are those from here …
        Step end;                // … up to here
        std::vector<Step> last;  // with which a match can end
        // How many characters may have been read before it is clear that there is a match; none:
        // any number.
        std::optional<std::size_t> undecided;
    };
    // What must be true of the character before a first step.
    enum class Before : std::uint8_t {
        anything = 1,
        word = 2,
        no_word = 4,  // or nothing
        nothing = 8,
        line_end = 16,  // or nothing
    };
    struct First {
        Step step;
        std::uint8_t assertions;  // PatternTree::Assertion, all of them
        std::uint32_t longest;    // bytes that a match which begins so can have
    };
    static constexpr std::uint32_t any_length = ~std::uint32_t{0};

    // The new pattern's number, or what is wrong with it: it matches nothing at all, or is too
    // large. A pattern with few steps and a longest match is cheaper than one that counts.
    std::expected<std::size_t, std::string> add(const PatternTree& tree,
                                                std::uint32_t longest = any_length);
    // All patterns are there: they can be asked for.
    void close();

    std::span<const Pattern> patterns() const { return patterns_; }
    std::size_t step_count() const { return set_of_.size(); }
    std::span<const Step> before(Step step) const { return before_[step]; }
    std::span<const First> first(Step step) const;

    Symbol symbol_of(char32_t character) const;
    Symbol symbol_of_ascii(unsigned char c) const { return ascii_[c]; }
    std::size_t symbol_count() const { return symbol_count_; }
    bool is_word(Symbol symbol) const { return word_symbols_[symbol]; }
    bool takes(Step step, Symbol symbol) const { return takes_[set_of_[step]][symbol]; }

private:
    struct Piece;  // of a pattern being added

    Piece build(const PatternTree& tree);
    Piece build_repeat(const PatternTree& tree);
    Piece one_step(const CharSet& chars);
    Piece followed(Piece a, Piece b);
    static Piece either(Piece a, Piece b);
    void connect(const Piece& from, const Piece& to);
    std::optional<std::size_t> undecided_length(Step begin, const Piece& whole) const;

    std::vector<Pattern> patterns_;
    std::vector<std::uint32_t> set_of_;  // by step: which of sets_ it takes
    std::vector<std::vector<Step>> before_;
    std::vector<First> firsts_;  // sorted by step
    std::map<CharSet, std::uint32_t> sets_;
    bool too_large_ = false;

    std::array<Symbol, 128> ascii_{};
    std::vector<std::pair<char32_t, Symbol>> beyond_ascii_;  // from this character on
    std::size_t symbol_count_ = 0;
    std::vector<bool> word_symbols_;
    std::vector<std::vector<bool>> takes_;  // by set and symbol
};

}  // namespace runnel::guardrail
