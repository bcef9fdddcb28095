#include "guardrail/pattern_reader.hpp"

#include <algorithm>
#include <utility>

namespace runnel::guardrail {
namespace {

constexpr std::size_t steps_kept_max = 1'000'000;  // some megabytes

using Before = PatternGraph::Before;
using Assertion = PatternTree::Assertion;

constexpr std::uint8_t bit(Before before) { return static_cast<std::uint8_t>(before); }
constexpr bool has(std::uint8_t assertions, Assertion one) {
    return (assertions & static_cast<std::uint8_t>(one)) != 0;
}

// Where several things are asserted, the one that is true least often.
Before needed(std::uint8_t assertions, bool word_follows) {
    if (has(assertions, Assertion::text_begin)) return Before::nothing;
    if (has(assertions, Assertion::line_begin)) return Before::line_end;
    if (has(assertions, Assertion::word_boundary))
        return word_follows ? Before::no_word : Before::word;
    if (has(assertions, Assertion::no_word_boundary))
        return word_follows ? Before::word : Before::no_word;
    return Before::anything;
}

}  // namespace

std::size_t PatternReader::Hash::operator()(const Key& key) const {
    std::uint64_t hash =
        0xcbf29ce484222325 ^ key.beginning.before ^ key.beginning.longest;  // FNV-1a
    for (const Step step : key.wanted) hash = (hash ^ step) * 0x100000001b3;
    return hash;
}

PatternReader::PatternReader(const PatternGraph* graph)
    : graph_(graph),
      symbols_(graph->symbol_count()) {}

PatternReader::Start PatternReader::add_start(std::vector<Step> steps) {
    std::ranges::sort(steps);
    reaches_.push_back(reach_of(steps));
    starts_.push_back(std::move(steps));
    start_states_.push_back(unknown);
    return starts_.size() - 1;
}

std::size_t PatternReader::reach_of(const std::vector<Step>& steps) const {
    std::uint32_t reach = 0;
    for (const PatternGraph::Pattern& pattern : graph_->patterns()) {
        const auto one = std::ranges::lower_bound(steps, pattern.begin);
        if (one == steps.end() || *one >= pattern.end) continue;
        for (Step step = pattern.begin; step < pattern.end; ++step)
            for (const PatternGraph::First& first : graph_->first(step))
                reach = std::max(reach, first.longest);
    }
    return reach;
}

PatternReader::State PatternReader::begin_at(Start start) {
    if (steps_kept_ > steps_kept_max) forget();
    if (start_states_[start] == unknown) start_states_[start] = state_of({{}, starts_[start]});
    return start_states_[start];
}

void PatternReader::forget() {
    known_.clear();
    keys_.clear();
    beginnings_.clear();
    table_.clear();
    steps_kept_ = 0;
    std::ranges::fill(start_states_, unknown);
}

PatternReader::State PatternReader::state_of(Key key) {
    const auto [found, is_new] =
        known_.try_emplace(std::move(key), static_cast<State>(keys_.size()));
    if (is_new) {
        keys_.push_back(&found->first);
        beginnings_.push_back(found->first.beginning);
        table_.resize(table_.size() + symbols_, unknown);
        steps_kept_ += found->first.wanted.size() + symbols_;
    }
    return found->second;
}

PatternReader::State PatternReader::find_next(State state, PatternGraph::Symbol symbol) {
    std::vector<Step> taken;
    for (const Step step : keys_[static_cast<std::size_t>(state)]->wanted)
        if (graph_->takes(step, symbol)) taken.push_back(step);
    State next = dead;
    if (!taken.empty()) {
        Key key{beginning_with(taken, symbol), {}};
        for (const Step step : taken) {
            const auto before = graph_->before(step);
            key.wanted.insert(key.wanted.end(), before.begin(), before.end());
        }
        std::ranges::sort(key.wanted);
        const auto repeated = std::ranges::unique(key.wanted);
        key.wanted.erase(repeated.begin(), repeated.end());
        next = state_of(std::move(key));
    }
    return table_[static_cast<std::size_t>(state) * symbols_ + symbol] = next;
}

PatternReader::Beginning PatternReader::beginning_with(const std::vector<Step>& taken,
                                                       PatternGraph::Symbol symbol) const {
    Beginning beginning;
    for (const Step step : taken)
        for (const PatternGraph::First& first : graph_->first(step)) {
            beginning.before |= bit(needed(first.assertions, graph_->is_word(symbol)));
            beginning.longest = std::max(beginning.longest, first.longest);
        }
    return beginning;
}

bool PatternReader::may_begin(std::string_view text, std::size_t at, std::uint8_t before) const {
    if ((before & bit(Before::anything)) != 0) return true;
    if (at == 0) return (before & ~bit(Before::word)) != 0;
    const char32_t c = character_before(text, at).character;
    if ((before & bit(is_word_character(c) ? Before::word : Before::no_word)) != 0) return true;
    return c == '\n' && (before & bit(Before::line_end)) != 0;
}

}  // namespace runnel::guardrail
