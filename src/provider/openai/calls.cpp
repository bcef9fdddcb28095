#include "provider/openai/calls.hpp"

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
    const auto own_key = [](std::size_t call) {
        return first_unnumbered_key + static_cast<Turn::CallKey>(call);
    };
    if (!piece.index) return own_key(unnumbered_call(unnumbered_of(choice), piece));
    // A call may be begun without its number and go on with it.
    const bool goes_on = piece.name.empty() && *piece.index >= 0 && !unnumbered_.empty();
    const auto number = static_cast<std::size_t>(*piece.index);
    if (goes_on && number < unnumbered_of(choice).ids.size()) return own_key(number);
    return *piece.index;
}

CallKeys::Unnumbered& CallKeys::unnumbered_of(Choice choice) {
    const auto found = std::ranges::find(unnumbered_, choice, &Unnumbered::choice);
    return found == unnumbered_.end() ? unnumbered_.emplace_back(Unnumbered{choice}) : *found;
}

// Which of the calls it is: the one with its id; or a new one, where there is a name; or, among the
// pieces of several calls, the one in its place; or the latest.
std::size_t CallKeys::unnumbered_call(Unnumbered& calls, const Piece& piece) {
    const auto known = std::ranges::find(calls.ids, piece.id);
    if (!piece.id.empty() && known != calls.ids.end())
        return static_cast<std::size_t>(known - calls.ids.begin());
    if (!piece.name.empty() || calls.ids.empty()) {
        calls.ids.emplace_back(piece.id);
    } else if (piece.position && *piece.position < calls.ids.size()) {
        return *piece.position;
    }
    return calls.ids.size() - 1;
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
