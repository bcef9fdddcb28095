#pragma once

#include "base/expiring_store.hpp"
#include "chat/request.hpp"
#include "tools/rounds/conversation_places.hpp"

#include <chrono>
#include <string_view>

namespace runnel::exchange {

// Remembers, for a while, what a provider said alongside a tool call and wants back with its result
// (thinking signatures, thought signatures, reasoning), because clients of the OpenAI dialect have
// no place for it. Shared by all threads; touched only when a tool call ends or a tool result comes
// in, never on the token path.
class Continuity {
public:
    using Clock = std::chrono::steady_clock;

    Continuity(std::chrono::milliseconds lifetime, std::size_t bytes_max,
               MemoryBudget* budget = nullptr)
        : states_(lifetime, bytes_max, budget) {}

    // What came with a call of the turn at that place.
    void remember(std::string_view place, std::string_view call_id, chat::ProviderState state,
                  Clock::time_point now);
    // Fills ToolCall::state of the calls that are remembered.
    void recall(chat::Request* request, const tools::ConversationPlaces& places,
                Clock::time_point now);

private:
    ExpiringStore<chat::ProviderState> states_;
};

}  // namespace runnel::exchange
