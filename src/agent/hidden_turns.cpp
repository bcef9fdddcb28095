#include "agent/hidden_turns.hpp"

#include "agent/conversation.hpp"

namespace runnel::agent {
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
        if (request->messages[at].tool_calls.empty()) continue;
        const std::string_view place = places.of(request->messages[at]);
        if (place.empty()) continue;
        for (const chat::ToolCall& call : request->messages[at].tool_calls) {
            const auto hidden = turns_.find(name_of_shown(place, call.id, call.name), now);
            if (!hidden) continue;
            std::vector<RoundFilter::Call> calls;
            std::vector<std::string_view> results;
            for (const Result& result : *hidden) {
                calls.push_back(result.call);
                results.push_back(result.text);
            }
            at += add_to_turn(request, at, calls, results);
            break;  // it is the same for all calls of the turn
        }
    }
}

}  // namespace runnel::agent
