#pragma once

#include "guardrail/pattern_graph.hpp"
#include "guardrail/pattern_tree.hpp"

#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::guardrail {

// A span of a text that may be a match. `text` has the character before it and, unless the text
// ends there, the one after it.
struct PlacedMatch {
    std::string_view text;
    std::size_t begin;
    std::size_t end;

    std::string_view matched() const { return text.substr(begin, end - begin); }
    // The characters on both sides; 0 where the text begins or ends.
    char32_t before() const;
    char32_t after() const;
};

// One thing to find in text. The shapes of all rules are looked for together, in one pass:
// Hyperscan tells where a match ends; `whole`, read backwards from there, tells where it began, and
// what of a stream may become a match and has to wait.
struct Shape {
    using Confirm = std::function<bool(const PlacedMatch&)>;

    // What is found, for errors and in place of what is redacted; empty: the rule's name.
    std::string category{};
    // A pattern of how matches end, at its simplest of all they are.
    std::string ends;
    // All of a match. It may match more than there is to find: few steps and a longest match are
    // cheaper than a pattern that counts.
    PatternTree whole{};
    std::uint32_t longest = PatternGraph::any_length;  // bytes
    // Whether a span of this shape is a match, where the shape alone does not tell. It looks at the
    // span and one character on either side.
    Confirm confirms{};
    // What else makes it a match: that it begins as `whole` says, or nothing.
    enum class Needs { whole, ends } needs = Needs::whole;
};
using Shapes = std::vector<Shape>;

// One way to find something in text: without IO and without state, from a list of texts that a rule
// of the config has under the detector's key. A new one is a file in detectors/ and a line in
// registry.hpp.
class Detector {
public:
    virtual ~Detector() = default;

    virtual std::string_view key() const = 0;
    // What the list can name; none: anything that `shapes` takes.
    virtual std::span<const std::string_view> choices() const { return {}; }
    // What is looked for where the list has `item`. The error says what is wrong with it.
    virtual std::expected<Shapes, std::string> shapes(std::string_view item) const = 0;
    // The same question when the config is read: it may take its time. Streams wait for
    // `hold_characters` of a match that is not complete, at most; 0: no stream does.
    virtual std::expected<void, std::string> check(std::string_view item,
                                                   std::size_t hold_characters) const;
};

// A pattern as a shape: all that it matches.
std::expected<Shape, std::string> shape_of(std::string_view pattern);

// Letters and digits of scripts that put spaces between words.
bool belongs_to_words(char32_t character);
// It neither begins nor ends in the middle of a word.
bool is_whole_word(const PlacedMatch& match);

}  // namespace runnel::guardrail
