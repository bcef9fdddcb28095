#include "guardrail/pattern_tree.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace runnel::guardrail {
namespace {

constexpr int depth_max = 64;     // of groups in groups
constexpr int repeat_max = 4096;  // what a bound may be

using Problem = std::unexpected<std::string>;
using Tree = PatternTree;
template <class T>
using Read = std::expected<T, std::string>;

struct Options {
    bool any_case = false;       // (?i)
    bool dot_takes_all = false;  // (?s)
    bool lines = false;          // (?m)
};

const CharSet digits{{'0', '9'}};
const CharSet spaces{{'\t', '\r'}, {' ', ' '}};
const CharSet flat_spaces{{'\t', '\t'},     {' ', ' '},       {0xA0, 0xA0},
                          {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200A},
                          {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
const CharSet line_ends{{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}};

struct NamedClass {
    std::string_view name;
    CharSet chars;
};
const std::array posix_classes{
    NamedClass{"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    NamedClass{"digit", {{'0', '9'}}},
    NamedClass{"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    NamedClass{"upper", {{'A', 'Z'}}},
    NamedClass{"lower", {{'a', 'z'}}},
    NamedClass{"space", {{'\t', '\r'}, {' ', ' '}}},
    NamedClass{"blank", {{'\t', '\t'}, {' ', ' '}}},
    NamedClass{"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    NamedClass{"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
    NamedClass{"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
};

Tree chars_tree(CharSet chars) { return {.kind = Tree::Kind::chars, .chars = std::move(chars)}; }
Tree assertion_tree(Tree::Assertion assertion) {
    return {.kind = Tree::Kind::assertion, .assertion = assertion};
}

// The end, or the line feed before it: it is not known to be the last before the text ends.
Tree end_or_last_line_feed() {
    Tree last{.kind = Tree::Kind::sequence};
    last.parts.push_back(chars_tree(CharSet::of('\n')));
    last.parts.push_back(assertion_tree(Tree::Assertion::end));
    Tree either{.kind = Tree::Kind::choice};
    either.parts.push_back(assertion_tree(Tree::Assertion::end));
    either.parts.push_back(std::move(last));
    return either;
}

class Reader {
public:
    explicit Reader(std::string_view pattern) : text_(pattern) {}

    Read<Tree> read() {
        if (!is_utf8(text_)) return Problem("it is not UTF-8");
        auto tree = read_choice({}, 0);
        if (tree && !at_end()) return Problem("there is a ) without a ( before it");
        return tree;
    }

private:
    bool at_end() const { return at_ >= text_.size(); }
    char peek() const { return at_end() ? '\0' : text_[at_]; }
    bool take(std::string_view what) {
        if (!text_.substr(at_).starts_with(what)) return false;
        at_ += what.size();
        return true;
    }
    char32_t next() {
        const Decoded decoded = character_at(text_, at_);
        at_ = decoded.end;
        return decoded.character;
    }

    Read<Tree> read_choice(Options options, int depth) {
        if (depth > depth_max) return Problem("its groups are nested too deep");
        Tree choice{.kind = Tree::Kind::choice};
        do {
            auto branch = read_sequence(&options, depth);
            if (!branch) return branch;
            choice.parts.push_back(std::move(*branch));
        } while (take("|"));
        return choice.parts.size() == 1 ? std::move(choice.parts.front()) : std::move(choice);
    }

    // An option in the middle counts from there to the end of its group.
    Read<Tree> read_sequence(Options* options, int depth) {
        Tree sequence{.kind = Tree::Kind::sequence};
        while (!at_end() && peek() != '|' && peek() != ')') {
            auto item = read_item(options, depth);
            if (!item) return item;
            item = read_repeats(std::move(*item));
            if (!item) return item;
            sequence.parts.push_back(std::move(*item));
        }
        return sequence;
    }

    Read<Tree> read_item(Options* options, int depth) {
        switch (peek()) {
            case '(': return read_group(options, depth);
            case '[': return read_class(*options);
            case '\\': return read_escape(*options);
            case '*':
            case '+':
            case '?': return Problem(fmt::format("there is nothing before {} to repeat", peek()));
            case '.': {
                ++at_;
                const CharSet line_feed = CharSet::of('\n');
                return chars_tree(options->dot_takes_all ? CharSet::any() : line_feed.inverted());
            }
            case '^':
                ++at_;
                return assertion_tree(options->lines ? Tree::Assertion::line_begin
                                                     : Tree::Assertion::text_begin);
            case '$': ++at_; return end_or_last_line_feed();
            default: return chars_tree(cased(CharSet::of(next()), *options));
        }
    }

    static CharSet cased(CharSet chars, const Options& options) {
        return options.any_case ? chars.in_any_case() : std::move(chars);
    }

    Read<Tree> read_group(Options* options, int depth) {
        ++at_;
        if (peek() == '*') return Problem("(*…) is not supported");
        Options inside = *options;
        if (take("?")) {
            if (take("#")) return read_comment();
            if (peek() == '=' || peek() == '!' || text_.substr(at_).starts_with("<=") ||
                text_.substr(at_).starts_with("<!"))
                return Problem(
                    "look-ahead and look-behind are not supported: a stream is read once; "
                    "\\b is");
            if (peek() == '>') return Problem("atomic groups, (?>…), are not supported");
            if (take("P<") || take("<") || take("'")) {
                const std::size_t end = text_.find_first_of(">'", at_);
                if (end == std::string_view::npos) return Problem("a group's name does not end");
                at_ = end + 1;
            } else if (!take(":")) {
                auto kind = read_options(&inside);
                if (!kind) return Problem(kind.error());
                if (*kind == OptionsFor::rest_of_group) {
                    *options = inside;
                    return Tree{};
                }
            }
        }
        auto tree = read_choice(inside, depth + 1);
        if (!tree) return tree;
        if (!take(")")) return Problem("there is a ( without a ) behind it");
        return tree;
    }

    Read<Tree> read_comment() {
        const std::size_t end = text_.find(')', at_);
        if (end == std::string_view::npos) return Problem("a comment, (?#…), does not end");
        at_ = end + 1;
        return Tree{};
    }

    enum class OptionsFor { rest_of_group, this_group };

    Read<OptionsFor> read_options(Options* options) {
        bool value = true;
        while (!at_end()) {
            const char letter = text_[at_++];
            switch (letter) {
                case 'i': options->any_case = value; break;
                case 's': options->dot_takes_all = value; break;
                case 'm': options->lines = value; break;
                case '-': value = false; break;
                case ')': return OptionsFor::rest_of_group;
                case ':': return OptionsFor::this_group;
                default: return Problem("the only options are (?i), (?s) and (?m)");
            }
        }
        return Problem("there is a ( without a ) behind it");
    }

    Read<Tree> read_escape(const Options& options) {
        if (auto set = take_class_escape()) return chars_tree(cased(std::move(*set), options));
        const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        using enum Tree::Assertion;
        constexpr std::pair<char, Tree::Assertion> assertions[] = {
            {'b', word_boundary}, {'B', no_word_boundary}, {'A', text_begin}, {'z', end}};
        for (const auto& [name, assertion] : assertions)
            if (letter == name) {
                at_ += 2;
                return assertion_tree(assertion);
            }
        if (take("\\Z")) return end_or_last_line_feed();
        auto character = read_escaped_character();
        if (!character) return Problem(character.error());
        return chars_tree(cased(CharSet::of(*character), options));
    }

    // \d and its like, inside and outside of brackets.
    std::optional<CharSet> take_class_escape() {
        const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        const std::pair<char, const CharSet*> classes[] = {{'d', &digits},
                                                           {'w', &word_characters()},
                                                           {'s', &spaces},
                                                           {'h', &flat_spaces},
                                                           {'v', &line_ends}};
        for (const auto& [name, chars] : classes) {
            if (letter != name && letter != (name & ~0x20)) continue;
            at_ += 2;
            return letter == name ? *chars : chars->inverted();
        }
        return std::nullopt;
    }

    // A backslash and what it makes of the character behind it.
    Read<char32_t> read_escaped_character() {
        ++at_;
        if (at_end()) return Problem("it ends in the middle of an escape");
        const char32_t letter = next();
        switch (letter) {
            case 'n': return U'\n';
            case 't': return U'\t';
            case 'r': return U'\r';
            case 'f': return U'\f';
            case 'a': return U'\a';
            case 'e': return U'\x1B';
            case 'x': return read_hexadecimal();
            default: break;
        }
        const bool plain = letter >= 0x80 || (letter != '_' && !is_word_character(letter));
        if (plain) return letter;
        if (letter >= '1' && letter <= '9')
            return Problem("back-references such as \\1 are not supported");
        if (letter == 'p' || letter == 'P')
            return Problem("\\p{…} is not supported; write the characters, such as [A-Za-zÀ-ž]");
        return Problem(fmt::format("\\{} is not supported", static_cast<char>(letter)));
    }

    Read<char32_t> read_hexadecimal() {
        const bool braces = take("{");
        const std::size_t most = braces ? 6 : 2;
        char32_t value = 0;
        std::size_t count = 0;
        for (; count < most && !at_end(); ++count, ++at_) {
            const char c = text_[at_];
            const char lower = static_cast<char>(c | 0x20);
            if (c >= '0' && c <= '9') {
                value = value * 16 + static_cast<char32_t>(c - '0');
            } else if (lower >= 'a' && lower <= 'f') {
                value = value * 16 + static_cast<char32_t>(lower - 'a' + 10);
            } else {
                break;
            }
        }
        const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
        if (count == 0 || (braces && !take("}")) || value > CharSet::last_code_point || surrogate)
            return Problem("\\x needs a character's number, such as \\x41 or \\x{e9}");
        return value;
    }

    Read<Tree> read_class(const Options& options) {
        ++at_;
        const bool inverted = take("^");
        CharSet chars;
        for (bool first = true; first || peek() != ']'; first = false) {
            if (at_end()) return Problem("there is a [ without a ] behind it");
            if (auto added = read_class_item(&chars); !added) return Problem(added.error());
        }
        ++at_;
        if (!inverted) return chars_tree(cased(std::move(chars), options));
        // Rather too many characters than too few.
        return chars_tree((options.any_case ? chars.in_ascii_cases() : chars).inverted());
    }

    Read<void> read_class_item(CharSet* chars) {
        if (text_.substr(at_).starts_with("[:")) return read_posix_class(chars);
        if (peek() == '\\')
            if (auto set = take_class_escape()) {
                chars->add(*set);
                return {};
            }
        const auto first = read_class_character();
        if (!first) return Problem(first.error());
        char32_t last = *first;
        const bool range = peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']';
        if (range) {
            ++at_;
            const auto read = read_class_character();
            if (!read) return Problem(read.error());
            last = *read;
            if (last < *first) return Problem("a range in [ ] runs backwards");
        }
        chars->add({*first, last});
        return {};
    }

    Read<char32_t> read_class_character() {
        if (at_end()) return Problem("there is a [ without a ] behind it");
        if (take("\\b")) return U'\b';
        return peek() == '\\' ? read_escaped_character() : Read<char32_t>(next());
    }

    Read<void> read_posix_class(CharSet* chars) {
        const std::size_t end = text_.find(":]", at_);
        if (end == std::string_view::npos) return Problem("[: without :]");
        std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
        const bool inverted = name.starts_with('^');
        if (inverted) name.remove_prefix(1);
        const auto found = std::ranges::find(posix_classes, name, &NamedClass::name);
        if (found == posix_classes.end())
            return Problem(fmt::format("[:{}:] is not supported", name));
        chars->add(inverted ? found->chars.inverted() : found->chars);
        at_ = end + 2;
        return {};
    }

    Read<Tree> read_repeats(Tree item) {
        while (true) {
            auto bounds = take_bounds();
            if (!bounds) return Problem(bounds.error());
            if (!*bounds) return item;
            const auto [least, most] = **bounds;
            if (peek() == '+') return Problem("possessive repeats such as a++ are not supported");
            take("?");  // matches the same text
            Tree repeat{.kind = Tree::Kind::repeat, .least = least, .most = most};
            repeat.parts.push_back(std::move(item));
            item = std::move(repeat);
        }
    }

    using Bounds = std::optional<std::pair<int, int>>;

    Read<Bounds> take_bounds() {
        if (take("*")) return Bounds({0, Tree::unbounded});
        if (take("+")) return Bounds({1, Tree::unbounded});
        if (take("?")) return Bounds({0, 1});
        if (peek() != '{') return Bounds();
        // A brace that is no repeat stands for itself.
        const std::size_t begin = at_++;
        const auto least = take_number();
        auto most = least;
        if (least && take(",")) most = peek() == '}' ? Tree::unbounded : take_number();
        if (!least || !most || !take("}")) {
            at_ = begin;
            return Bounds();
        }
        if (*least > repeat_max || *most > repeat_max)
            return Problem(fmt::format("it repeats something more than {} times", repeat_max));
        if (*most != Tree::unbounded && *most < *least)
            return Problem("a repeat's bounds run backwards");
        return Bounds({*least, *most});
    }

    std::optional<int> take_number() {
        std::optional<int> number;
        for (; peek() >= '0' && peek() <= '9'; ++at_)
            number = std::min(number.value_or(0) * 10 + (peek() - '0'), repeat_max + 1);
        return number;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::expected<PatternTree, std::string> read_pattern(std::string_view pattern) {
    return Reader(pattern).read();
}

Decoded character_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    const std::size_t length = lead < 0x80 ? 1 : utf8_sequence(text.substr(at));
    if (length <= 1) return {lead, at + 1};
    char32_t character = lead & (0xFF >> (length + 1));
    for (std::size_t i = at + 1; i < at + length; ++i)
        character = character << 6 | (byte(i) & 0x3F);
    return {character, at + length};
}

Decoded character_before(std::string_view text, std::size_t at) {
    std::size_t begin = at - 1;
    while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80)
        --begin;
    const Decoded decoded = character_at(text, begin);
    if (decoded.end == at) return {decoded.character, begin};
    return {static_cast<unsigned char>(text[at - 1]), at - 1};
}

}  // namespace runnel::guardrail
