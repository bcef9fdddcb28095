#include "exchange/continuity.hpp"

namespace runnel::exchange {

void Continuity::remember(std::string_view turn_key, std::string_view call_id,
                          chat::ProviderState state, Clock::time_point now) {
    if (turn_key.empty()) return;
    const std::size_t bytes = state.owner.size() + state.raw.size();
    states_.put(tools::key_of_call(turn_key, call_id), std::move(state), bytes, now);
}

void Continuity::recall(chat::Request* request, const tools::TurnKeys& turn_keys,
                        Clock::time_point now) {
    for (chat::Message& message : request->messages) {
        const std::string_view turn_key = message.has_calls() ? turn_keys.of(message) : "";
        if (turn_key.empty()) continue;
        message.for_each_call([&](chat::ToolCall& call) {
            // A later turn of the same answer may have used the id again.
            if (!call.state) call.state = states_.find(tools::key_of_call(turn_key, call.id), now);
        });
    }
}

}  // namespace runnel::exchange
