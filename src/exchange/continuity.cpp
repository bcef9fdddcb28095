#include "exchange/continuity.hpp"

namespace runnel::exchange {

void Continuity::remember(std::string_view place, std::string_view call_id, chat::KeptState state,
                          Clock::time_point now) {
    if (place.empty()) return;
    const std::size_t bytes = state.owner.size() + state.raw.size();
    states_.put(agent::name_of_call(place, call_id), std::move(state), bytes, now);
}

void Continuity::recall(chat::Request* request, const agent::ConversationPlaces& places,
                        Clock::time_point now) {
    for (chat::Message& message : request->messages) {
        const std::string_view place =
            message.tool_calls.empty() ? std::string_view() : places.of(message);
        if (place.empty()) continue;
        for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
            // A later turn of the same answer may have used the id again.
            if (i < message.kept_state.size() && !message.kept_state[i].raw.empty()) continue;
            auto state = states_.find(agent::name_of_call(place, message.tool_calls[i].id), now);
            if (!state) continue;
            message.kept_state.resize(message.tool_calls.size());
            message.kept_state[i] = std::move(*state);
        }
    }
}

}  // namespace runnel::exchange
