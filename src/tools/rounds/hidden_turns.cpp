#include "tools/rounds/hidden_turns.hpp"

#include "tools/rounds/conversation.hpp"

namespace runnel::tools {
namespace {

std::string name_of_shown(std::string_view place, std::string_view id, std::string_view name) {
    return name_of_call(place, id).append("/").append(name);
}

}  // namespace

void HiddenTurns::remember(std::string_view place, std::span<const RoundFilter::Call> shown,
                           std::vector<Result> hidden, Clock::time_point now) {
    if (place.empty()) return;
    std::size_t bytes = 0;
    for (const Result& result : hidden)
        bytes += sizeof(Result) + result.text.size() + result.call.arguments_escaped.size();
    for (const RoundFilter::Call& call : shown)
        turns_.put(name_of_shown(place, call.id, call.name), hidden, bytes, now);
}

void HiddenTurns::recall(chat::Request* request, const ConversationPlaces& places,
                         Clock::time_point now) const {
    for (std::size_t at = 0; at < request->messages.size(); ++at) {
        const auto hidden = find_hidden(request->messages[at], places, now);
        if (!hidden) continue;
        std::vector<RoundFilter::Call> calls;
        std::vector<std::string_view> results;
        for (const Result& result : *hidden) {
            calls.push_back(result.call);
            results.push_back(result.text);
        }
        at += add_to_turn(request, at, calls, results);
    }
}

// It is the same for all calls of the turn.
std::optional<std::vector<HiddenTurns::Result>>
HiddenTurns::find_hidden(const chat::Message& turn, const ConversationPlaces& places,
                         Clock::time_point now) const {
    const std::string_view place = turn.has_calls() ? places.of(turn) : "";
    std::optional<std::vector<Result>> hidden;
    if (place.empty()) return hidden;
    turn.for_each_call([&](const chat::ToolCall& call) {
        if (!hidden) hidden = turns_.find(name_of_shown(place, call.id, call.name), now);
    });
    return hidden;
}

}  // namespace runnel::tools
