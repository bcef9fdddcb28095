#include "exchange/continuity.hpp"

namespace runnel::exchange {

void Continuity::remember(std::string_view call_id, chat::KeptState state, Clock::time_point now) {
    const std::size_t bytes = state.owner.size() + state.raw.size();
    states_.put(call_id, std::move(state), bytes, now);
}

void Continuity::recall(chat::Request* request, Clock::time_point now) {
    for (chat::Message& message : request->messages) {
        for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
            auto state = states_.find(message.tool_calls[i].id, now);
            if (!state) continue;
            message.kept_state.resize(message.tool_calls.size());
            message.kept_state[i] = std::move(*state);
        }
    }
}

}  // namespace runnel::exchange
