#include "cache/answer_cache.hpp"

#include <algorithm>
#include <iterator>

namespace runnel::cache {

void AnswerCache::set_size(std::size_t bytes_max) {
    const std::scoped_lock lock(mutex_);
    bytes_max_ = bytes_max;
    shrink_to(bytes_max_);
}

void AnswerCache::give_up(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    // Some more, so that not every request has to ask again.
    const std::size_t wanted = bytes + bytes_ / 8;
    shrink_to(bytes_ - std::min(bytes_, wanted));
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
    shrink_to(bytes_max_ - bytes);
    // Without memory for both, the new answer is the one that is not kept.
    if (!share_.resize(bytes_ + bytes)) return;
    entries_.push_back({std::string(key), std::move(answer), bytes, now + ttl});
    const Place added = std::prev(entries_.end());
    by_key_.emplace(added->key, added);
    bytes_ += bytes;
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

void AnswerCache::shrink_to(std::size_t bytes_max) {
    while (bytes_ > bytes_max) drop(entries_.begin());
    static_cast<void>(share_.resize(bytes_));  // giving back never fails
}

}  // namespace runnel::cache
