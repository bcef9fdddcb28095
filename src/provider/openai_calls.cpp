#include "provider/openai_calls.hpp"

#include "json/text.hpp"

#include <algorithm>

namespace runnel::provider {
namespace {

using timeline::Choice;

// Keys of our own lie far from any index a provider counts to.
constexpr Turn::CallKey legacy_key = Turn::CallKey{1} << 40;
constexpr Turn::CallKey first_unnumbered_key = legacy_key + 1;

}  // namespace

void CallKeys::tell(Choice choice, const Piece& piece, Turn& turn) {
    const Turn::CallKey key = key_of(choice, piece);
    turn.tool(choice, key, piece.id, piece.name);
    if (extra_ == Extra::keep && piece.extra_content.starts_with('{'))
        turn.tool_state(choice, key, piece.extra_content);
    if (piece.tool == Piece::Tool::custom) {
        tell_custom_input(choice, key, piece, turn);
    } else {
        turn.tool_arguments(choice, key, piece.text);
    }
}

Turn::CallKey CallKeys::key_of(Choice choice, const Piece& piece) {
    if (piece.tool == Piece::Tool::legacy) return legacy_key;
    if (piece.index) return *piece.index;
    return unnumbered_key(choice, piece);
}

Turn::CallKey CallKeys::unnumbered_key(Choice choice, const Piece& piece) {
    auto last = std::ranges::find(unnumbered_, choice, &Unnumbered::choice);
    if (last == unnumbered_.end()) {
        unnumbered_.push_back({choice, first_unnumbered_key, std::string(piece.id)});
        return first_unnumbered_key;
    }
    // A name begins a call, unless it is repeated together with the id.
    if (!piece.name.empty() && (piece.id.empty() || piece.id != last->id)) {
        ++last->key;
        last->id = piece.id;
    }
    return last->key;
}

void CallKeys::tell_custom_input(Choice choice, Turn::CallKey key, const Piece& piece, Turn& turn) {
    const bool open = std::ranges::any_of(
        open_custom_, [&](const Custom& call) { return call.choice == choice && call.key == key; });
    if (!open) {
        open_custom_.push_back({choice, key});
        turn.tool_arguments(choice, key, R"({\"input\":\")");
    }
    // Escaped once as the provider's string, and once more as a string inside the arguments' JSON.
    scratch_.clear();
    json::append_escaped(scratch_, piece.text);
    turn.tool_arguments(choice, key, scratch_);
}

void CallKeys::finish(Choice choice, timeline::Finish reason, Turn& turn) {
    std::erase_if(open_custom_, [&](const Custom& call) {
        if (call.choice != choice) return false;
        if (reason != timeline::Finish::length) turn.tool_arguments(choice, call.key, R"(\"})");
        return true;
    });
}

void CallKeys::finish_all(Turn& turn) {
    while (!open_custom_.empty()) finish(open_custom_.back().choice, timeline::Finish::stop, turn);
}

}  // namespace runnel::provider
