#pragma once

#include "guardrail/pattern_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace runnel::guardrail {

// Reads texts backwards through a graph. It remembers which steps can follow which (a DFA made as
// it is needed, forgotten when it gets large), so one character costs one look-up. For one thread.
class PatternReader {
public:
    // `graph` must outlive it, and be closed.
    explicit PatternReader(const PatternGraph* graph);

    // Where reading begins: steps that the last character before that place may have been.
    using Start = std::size_t;
    Start add_start(std::vector<PatternGraph::Step> steps);

    // Reads from `from` backwards, but not beyond `floor`, as long as it can be part of a pattern.
    // Calls on_begin(at) for each place where the pattern can have begun, the nearest one first.
    template <class OnBegin>
    void read_back(std::string_view text, std::size_t from, std::size_t floor, Start start,
                   OnBegin&& on_begin);

    // Characters read so far, over all calls: what it cost.
    std::uint64_t characters_read() const { return characters_read_; }

private:
    using Step = PatternGraph::Step;
    using State = std::int32_t;
    static constexpr State dead = -1, unknown = -2;

    // How a pattern can begin with what was read last.
    struct Beginning {
        std::uint8_t before = 0;    // what must be before it; 0: it can't
        std::uint32_t longest = 0;  // and how far away it may be from where reading began
        friend bool operator==(const Beginning&, const Beginning&) = default;
    };
    struct Key {
        Beginning beginning;
        std::vector<Step> wanted;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };

    std::size_t reach_of(const std::vector<Step>& steps) const;
    State begin_at(Start start);
    State next(State state, PatternGraph::Symbol symbol) {
        const State known = table_[static_cast<std::size_t>(state) * symbols_ + symbol];
        return known != unknown ? known : find_next(state, symbol);
    }
    State find_next(State state, PatternGraph::Symbol symbol);
    State state_of(Key key);
    Beginning beginning_with(const std::vector<Step>& taken, PatternGraph::Symbol symbol) const;
    bool may_begin(std::string_view text, std::size_t at, std::uint8_t before) const;
    void forget();

    const PatternGraph* graph_;
    std::size_t symbols_;
    std::vector<std::vector<Step>> starts_;
    std::vector<std::size_t> reaches_;  // by start: bytes that a match has at most
    std::vector<State> start_states_;   // by start
    std::unordered_map<Key, State, Hash> known_;
    std::vector<const Key*> keys_;       // by state
    std::vector<Beginning> beginnings_;  // by state, what its key says
    std::vector<State> table_;           // by state and symbol
    std::size_t steps_kept_ = 0;
    std::uint64_t characters_read_ = 0;
};

template <class OnBegin>
void PatternReader::read_back(std::string_view text, std::size_t from, std::size_t floor,
                              Start start, OnBegin&& on_begin) {
    State state = begin_at(start);
    std::size_t at = from;
    if (reaches_[start] < from) floor = std::max(floor, from - reaches_[start]);
    while (at > floor) {
        const auto last = static_cast<unsigned char>(text[at - 1]);
        if (last < 0x80) {
            state = next(state, graph_->symbol_of_ascii(last));
            --at;
        } else {
            const Decoded character = character_before(text, at);
            state = next(state, graph_->symbol_of(character.character));
            at = character.end;
        }
        if (state == dead) break;
        const Beginning& beginning = beginnings_[static_cast<std::size_t>(state)];
        if (beginning.before != 0 && from - at <= beginning.longest &&
            may_begin(text, at, beginning.before))
            on_begin(at);
    }
    characters_read_ += from - at;
}

}  // namespace runnel::guardrail
