#pragma once

#include "chat/request.hpp"

#include <chrono>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace runnel::exchange {

// Remembers, for a while, what a provider said alongside a tool call and wants back with its result
// (thinking signatures, thought signatures, reasoning), because clients of the OpenAI dialect have
// no place for it. Shared by all threads; touched only when a tool call ends or a tool result comes
// in, never on the token path.
class Continuity {
public:
    using Clock = std::chrono::steady_clock;

    Continuity(std::chrono::milliseconds lifetime, std::size_t bytes_max);

    void remember(std::string_view call_id, chat::KeptState state, Clock::time_point now);
    // Fills Message::kept_state of the assistant turns whose calls are remembered.
    void recall(chat::Request* request, Clock::time_point now);

private:
    struct Entry {
        std::string call_id;
        chat::KeptState state;
        Clock::time_point until;
    };
    static std::size_t size_of(const Entry& entry);
    void drop(std::list<Entry>::iterator entry);

    std::chrono::milliseconds lifetime_;
    std::size_t bytes_max_;
    std::mutex mutex_;
    std::list<Entry> entries_;  // oldest first
    std::unordered_map<std::string_view, std::list<Entry>::iterator>
        by_id_;  // views of the entries' own ids
    std::size_t bytes_ = 0;
};

}  // namespace runnel::exchange
