#include "tools/rounds/hidden_turns.hpp"

#include "tools/rounds/conversation.hpp"

namespace runnel::tools {
namespace {

std::string key_of_shown(std::string_view turn_key, std::string_view id, std::string_view name) {
    return key_of_call(turn_key, id).append("/").append(name);
}

}  // namespace

void HiddenTurns::remember(std::string_view turn_key, std::span<const RoundFilter::Call> shown,
                           std::vector<Result> hidden, Clock::time_point now) {
    if (turn_key.empty()) return;
    std::size_t bytes = 0;
    for (const Result& result : hidden)
        bytes += sizeof(Result) + result.text.size() + result.call.arguments_escaped.size();
    for (const RoundFilter::Call& call : shown)
        turns_.put(key_of_shown(turn_key, call.id, call.name), hidden, bytes, now);
}

void HiddenTurns::recall(chat::Request* request, const TurnKeys& turn_keys,
                         Clock::time_point now) const {
    for (std::size_t at = 0; at < request->messages.size(); ++at) {
        const auto hidden = find_hidden(request->messages[at], turn_keys, now);
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
HiddenTurns::find_hidden(const chat::Message& turn, const TurnKeys& turn_keys,
                         Clock::time_point now) const {
    const std::string_view turn_key = turn.has_calls() ? turn_keys.of(turn) : "";
    std::optional<std::vector<Result>> hidden;
    if (turn_key.empty()) return hidden;
    turn.for_each_call([&](const chat::ToolCall& call) {
        if (!hidden) hidden = turns_.find(key_of_shown(turn_key, call.id, call.name), now);
    });
    return hidden;
}

}  // namespace runnel::tools
