#include "exchange/continuity.hpp"

namespace runnel::exchange {

void Continuity::remember(std::string_view place, std::string_view call_id,
                          chat::ProviderState state, Clock::time_point now) {
    if (place.empty()) return;
    const std::size_t bytes = state.owner.size() + state.raw.size();
    states_.put(tools::name_of_call(place, call_id), std::move(state), bytes, now);
}

void Continuity::recall(chat::Request* request, const tools::ConversationPlaces& places,
                        Clock::time_point now) {
    for (chat::Message& message : request->messages) {
        const std::string_view place = message.has_calls() ? places.of(message) : "";
        if (place.empty()) continue;
        message.for_each_call([&](chat::ToolCall& call) {
            // A later turn of the same answer may have used the id again.
            if (!call.state) call.state = states_.find(tools::name_of_call(place, call.id), now);
        });
    }
}

}  // namespace runnel::exchange
