#pragma once

#include "base/expiring_store.hpp"
#include "base/limits.hpp"
#include "chat/request.hpp"
#include "tools/rounds/hidden_turns.hpp"
#include "tools/rounds/turn_keys.hpp"

#include <chrono>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::exchange {

// Remembers, for a while, what a provider said alongside a tool call and wants back with its result
// (thinking signatures, thought signatures, reasoning), because clients of the OpenAI dialect have
// no field for it. Shared by all threads; touched only when a tool call ends or a tool result comes
// in, never on the token path.
class Continuity {
public:
    using Clock = std::chrono::steady_clock;

    Continuity(std::chrono::milliseconds lifetime, std::size_t bytes_max,
               MemoryBudget* budget = nullptr)
        : states_(lifetime, bytes_max, budget) {}

    // What came with a call of the turn of that key.
    void remember(std::string_view turn_key, std::string_view call_id, chat::ProviderState state,
                  Clock::time_point now);
    // Fills ToolCall::state of the calls that are remembered.
    void recall(chat::Request* request, const tools::TurnKeys& turn_keys, Clock::time_point now);

private:
    ExpiringStore<chat::ProviderState> states_;
};

// What is kept of all conversations from one turn to the next, because clients do not send it back.
struct KeptTurns {
    explicit KeptTurns(MemoryBudget* memory)
        : states(limits::continuity_time, limits::continuity_bytes, memory),
          hidden(limits::continuity_time, limits::continuity_bytes, memory) {}

    Continuity states;
    tools::HiddenTurns hidden;
};

// The part of it that belongs to one request's conversation. Without keys there is none.
class ConversationState {
public:
    explicit ConversationState(KeptTurns* all) : all_(all) {}

    void use(tools::TurnKeys keys) { keys_ = std::move(keys); }

    void recall_states(chat::Request* request) { all_->states.recall(request, keys_, now()); }
    void keep_state(std::string_view call_id, chat::ProviderState state) {
        all_->states.remember(keys_.next(), call_id, std::move(state), now());
    }
    void recall_hidden(chat::Request* request) { all_->hidden.recall(request, keys_, now()); }
    void keep_hidden(std::span<const tools::RoundFilter::Call> shown,
                     std::vector<tools::HiddenTurns::Result> hidden) {
        all_->hidden.remember(keys_.next(), shown, std::move(hidden), now());
    }

private:
    static Continuity::Clock::time_point now() { return Continuity::Clock::now(); }

    KeptTurns* all_;
    tools::TurnKeys keys_;
};

}  // namespace runnel::exchange
