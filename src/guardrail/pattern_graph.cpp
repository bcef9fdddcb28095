#include "guardrail/pattern_graph.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <set>

namespace runnel::guardrail {
namespace {

using Tree = PatternTree;
using Assertions = std::uint8_t;

// Combinations of assertions that nothing but them can match; a few at most.
void add_once(std::vector<Assertions>& all, Assertions one) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

}  // namespace

struct PatternGraph::Piece {
    struct End {
        Step step;
        Assertions assertions;
    };
    std::vector<End> first;
    std::vector<End> last;
    std::vector<Assertions> empty;  // ways to match no character; none: it takes one at least
};

std::expected<std::size_t, std::string> PatternGraph::add(const PatternTree& tree,
                                                          std::uint32_t longest) {
    const auto begin = static_cast<Step>(set_of_.size());
    too_large_ = false;
    const Piece whole = build(tree);
    if (too_large_) return std::unexpected("it is too large: fewer or smaller repeats are needed");
    if (!whole.empty.empty()) return std::unexpected("it can match nothing at all");
    Pattern pattern{begin, static_cast<Step>(set_of_.size()), {}, undecided_length(begin, whole)};
    for (const Piece::End& end : whole.last) pattern.last.push_back(end.step);
    std::ranges::sort(pattern.last);
    const auto repeated = std::ranges::unique(pattern.last);
    pattern.last.erase(repeated.begin(), repeated.end());
    for (const Piece::End& end : whole.first)
        firsts_.push_back({end.step, end.assertions, longest});
    patterns_.push_back(std::move(pattern));
    return patterns_.size() - 1;
}

PatternGraph::Piece PatternGraph::build(const PatternTree& tree) {
    if (too_large_) return {};
    switch (tree.kind) {
        case Tree::Kind::nothing: return {{}, {}, {0}};
        case Tree::Kind::assertion: return {{}, {}, {static_cast<Assertions>(tree.assertion)}};
        case Tree::Kind::chars: return one_step(tree.chars);
        case Tree::Kind::sequence: {
            Piece whole{{}, {}, {0}};
            for (const Tree& part : tree.parts) whole = followed(std::move(whole), build(part));
            return whole;
        }
        case Tree::Kind::choice: {
            Piece whole = build(tree.parts.front());
            for (std::size_t i = 1; i < tree.parts.size(); ++i)
                whole = either(std::move(whole), build(tree.parts[i]));
            return whole;
        }
        case Tree::Kind::repeat: return build_repeat(tree);
    }
    return {};
}

// a{2,4} is aa(a(a)?)?, and a{2,} is aa with a way back from the second to itself.
PatternGraph::Piece PatternGraph::build_repeat(const Tree& tree) {
    const Tree& part = tree.parts.front();
    if (tree.most == 0) return {{}, {}, {0}};
    const bool unbounded = tree.most == Tree::unbounded;
    const int count = unbounded ? std::max(tree.least, 1) : tree.most;
    std::vector<Piece> copies;
    for (int i = 0; i < count && !too_large_; ++i) copies.push_back(build(part));
    if (too_large_) return {};
    if (unbounded) connect(copies.back(), copies.back());
    Piece whole = std::move(copies.back());
    for (int i = count - 1; i >= 0; --i) {
        if (i < count - 1)
            whole = followed(std::move(copies[static_cast<std::size_t>(i)]), std::move(whole));
        if (i >= tree.least) add_once(whole.empty, 0);
    }
    return whole;
}

PatternGraph::Piece PatternGraph::one_step(const CharSet& chars) {
    const auto step = static_cast<Step>(set_of_.size());
    const Step begin = patterns_.empty() ? 0 : patterns_.back().end;
    if (step - begin >= limits::guardrail_pattern_steps || step >= limits::guardrail_all_steps) {
        too_large_ = true;
        return {};
    }
    set_of_.push_back(
        sets_.try_emplace(chars, static_cast<std::uint32_t>(sets_.size())).first->second);
    before_.emplace_back();
    return {{{step, 0}}, {{step, 0}}, {}};
}

void PatternGraph::connect(const Piece& from, const Piece& to) {
    for (const Piece::End& a : from.last)
        for (const Piece::End& b : to.first) before_[b.step].push_back(a.step);
}

PatternGraph::Piece PatternGraph::followed(Piece a, Piece b) {
    connect(a, b);
    Piece whole{std::move(a.first), std::move(b.last), {}};
    for (const Assertions way : a.empty)
        for (const Piece::End& end : b.first)
            whole.first.push_back({end.step, static_cast<Assertions>(end.assertions | way)});
    for (const Assertions way : b.empty)
        for (const Piece::End& end : a.last)
            whole.last.push_back({end.step, static_cast<Assertions>(end.assertions | way)});
    for (const Assertions one : a.empty)
        for (const Assertions other : b.empty) add_once(whole.empty, one | other);
    return whole;
}

PatternGraph::Piece PatternGraph::either(Piece a, Piece b) {
    a.first.insert(a.first.end(), b.first.begin(), b.first.end());
    a.last.insert(a.last.end(), b.last.begin(), b.last.end());
    for (const Assertions way : b.empty) add_once(a.empty, way);
    return a;
}

// The longest way through steps that do not end a match for certain, from a first one on.
std::optional<std::size_t> PatternGraph::undecided_length(Step begin, const Piece& whole) const {
    const std::size_t count = set_of_.size() - begin;
    std::vector<bool> decides(count, false), is_first(count, false);
    for (const Piece::End& end : whole.last)
        if (end.assertions == 0) decides[end.step - begin] = true;
    for (const Piece::End& end : whole.first) is_first[end.step - begin] = true;
    constexpr std::size_t unknown = ~std::size_t{0}, underway = unknown - 1;
    std::vector<std::size_t> length(count, unknown);  // 0: it was decided before
    // Without recursion: patterns may be thousands of steps long.
    std::vector<Step> stack;
    for (std::size_t from = 0; from < count; ++from) {
        stack.push_back(static_cast<Step>(begin + from));
        while (!stack.empty()) {
            const Step step = stack.back();
            std::size_t& known = length[step - begin];
            if (known < underway) {
                stack.pop_back();
                continue;
            }
            known = underway;
            std::size_t longest = is_first[step - begin] ? 1 : 0;
            const std::size_t waiting = stack.size();
            for (const Step before : before_[step]) {
                if (decides[before - begin]) continue;
                const std::size_t before_it = length[before - begin];
                if (before_it == underway) return std::nullopt;  // it goes round in a circle
                if (before_it == unknown)
                    stack.push_back(before);
                else if (before_it > 0)
                    longest = std::max(longest, before_it + 1);
            }
            if (stack.size() > waiting) continue;
            known = longest;
            stack.pop_back();
        }
    }
    return std::ranges::max(length);
}

std::span<const PatternGraph::First> PatternGraph::first(Step step) const {
    const auto [begin, end] = std::ranges::equal_range(firsts_, step, {}, &First::step);
    return {begin, end};
}

void PatternGraph::close() {
    std::ranges::sort(firsts_, {}, &First::step);
    for (auto& steps : before_) {
        std::ranges::sort(steps);
        const auto repeated = std::ranges::unique(steps);
        steps.erase(repeated.begin(), repeated.end());
    }
    // Between two bounds no set tells one character from another.
    std::set<char32_t> bounds{0, 0x80};
    const auto bound = [&](const CharSet& chars) {
        for (const CharSet::Range& range : chars.ranges()) {
            bounds.insert(range.first);
            bounds.insert(range.last + 1);
        }
    };
    bound(word_characters());
    for (const auto& [chars, number] : sets_) bound(chars);

    std::map<std::vector<bool>, Symbol> known;  // by the sets that a character is in
    takes_.assign(sets_.size(), {});
    for (const char32_t from : bounds) {
        if (from > CharSet::last_code_point) break;
        std::vector<bool> in(sets_.size() + 1);
        for (const auto& [chars, number] : sets_) in[number] = chars.contains(from);
        in.back() = is_word_character(from);
        const auto [found, is_new] = known.try_emplace(in, static_cast<Symbol>(known.size()));
        if (is_new) {
            for (std::size_t set = 0; set < sets_.size(); ++set) takes_[set].push_back(in[set]);
            word_symbols_.push_back(in.back());
        }
        beyond_ascii_.emplace_back(from, found->second);
    }
    symbol_count_ = known.size();
    for (unsigned c = 0; c < ascii_.size(); ++c) ascii_[c] = symbol_of(c);
}

PatternGraph::Symbol PatternGraph::symbol_of(char32_t character) const {
    const auto next =
        std::ranges::upper_bound(beyond_ascii_, character, {}, &std::pair<char32_t, Symbol>::first);
    return std::prev(next)->second;
}

}  // namespace runnel::guardrail
