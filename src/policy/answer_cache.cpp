#include "policy/answer_cache.hpp"

#include <iterator>

namespace runnel::policy {

void AnswerCache::set_size(std::size_t bytes_max) {
    const std::scoped_lock lock(mutex_);
    bytes_max_ = bytes_max;
    make_room();
}

AnswerCache::Answer AnswerCache::find(std::string_view key, Clock::time_point now) {
    const std::scoped_lock lock(mutex_);
    const auto known = by_key_.find(key);
    if (known == by_key_.end()) return nullptr;
    const Place entry = known->second;
    if (entry->until <= now) {
        drop(entry);
        return nullptr;
    }
    entries_.splice(entries_.end(), entries_, entry);
    return entry->answer;
}

void AnswerCache::put(std::string_view key, Answer answer, std::chrono::seconds ttl,
                      Clock::time_point now) {
    const std::size_t bytes =
        sizeof(Entry) + sizeof(CachedAnswer) + key.size() + answer->timeline.bytes();
    const std::scoped_lock lock(mutex_);
    if (const auto known = by_key_.find(key); known != by_key_.end()) drop(known->second);
    if (bytes > bytes_max_) return;
    entries_.push_back({std::string(key), std::move(answer), bytes, now + ttl});
    const Place added = std::prev(entries_.end());
    by_key_.emplace(added->key, added);
    bytes_ += bytes;
    make_room();
}

std::size_t AnswerCache::bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_;
}

void AnswerCache::drop(Place entry) {
    bytes_ -= entry->bytes;
    by_key_.erase(entry->key);
    entries_.erase(entry);
}

void AnswerCache::make_room() {
    while (bytes_ > bytes_max_) drop(entries_.begin());
}

}  // namespace runnel::policy
