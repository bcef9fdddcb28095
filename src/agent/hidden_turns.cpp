#include "agent/hidden_turns.hpp"

#include "agent/conversation.hpp"

namespace runnel::agent {

void HiddenTurns::remember(std::span<const RoundFilter::Call> shown, std::vector<Result> hidden,
                           Clock::time_point now) {
    std::size_t bytes = 0;
    for (const Result& result : hidden)
        bytes += sizeof(Result) + result.text.size() + result.call.arguments_escaped.size();
    for (const RoundFilter::Call& call : shown) turns_.put(call.id, hidden, bytes, now);
}

void HiddenTurns::recall(chat::Request* request, Clock::time_point now) const {
    for (std::size_t at = 0; at < request->messages.size(); ++at) {
        for (const chat::ToolCall& call : request->messages[at].tool_calls) {
            const auto hidden = turns_.find(call.id, now);
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
