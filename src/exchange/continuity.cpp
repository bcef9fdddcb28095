#include "exchange/continuity.hpp"

#include <algorithm>

namespace runnel::exchange {

Continuity::Continuity(std::chrono::milliseconds lifetime, std::size_t bytes_max)
    : lifetime_(lifetime),
      bytes_max_(bytes_max) {}

std::size_t Continuity::size_of(const Entry& entry) {
    return sizeof(Entry) + entry.call_id.size() + entry.state.owner.size() + entry.state.raw.size();
}

void Continuity::drop(std::list<Entry>::iterator entry) {
    bytes_ -= size_of(*entry);
    by_id_.erase(entry->call_id);
    entries_.erase(entry);
}

void Continuity::remember(std::string_view call_id, chat::KeptState state, Clock::time_point now) {
    std::scoped_lock lock(mutex_);
    if (const auto known = by_id_.find(call_id); known != by_id_.end()) drop(known->second);
    entries_.push_back({std::string(call_id), std::move(state), now + lifetime_});
    const auto added = std::prev(entries_.end());
    by_id_.emplace(added->call_id, added);
    bytes_ += size_of(*added);
    while (!entries_.empty() && (entries_.front().until < now || bytes_ > bytes_max_))
        drop(entries_.begin());
}

void Continuity::recall(chat::Request* request, Clock::time_point now) {
    const auto has_calls = [](const chat::Message& message) { return !message.tool_calls.empty(); };
    if (std::ranges::none_of(request->messages, has_calls)) return;
    std::scoped_lock lock(mutex_);
    for (chat::Message& message : request->messages) {
        for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
            const auto known = by_id_.find(message.tool_calls[i].id);
            if (known == by_id_.end() || known->second->until < now) continue;
            message.kept_state.resize(message.tool_calls.size());
            message.kept_state[i] = known->second->state;
        }
    }
}

}  // namespace runnel::exchange
