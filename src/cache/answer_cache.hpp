#pragma once

#include "base/memory_budget.hpp"
#include "timeline/recording.hpp"

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace runnel::cache {

// An answer that was given once, and who gave it.
struct CachedAnswer {
    timeline::Recording timeline;
    std::string model;  // who gave it
    std::string provider;
};

// Answers of this process, by their keys, each for its time; what was not asked for the longest
// goes first when they are too many. Shared by all threads. Time is passed in.
class AnswerCache {
public:
    using Clock = std::chrono::steady_clock;
    using Answer = std::shared_ptr<const CachedAnswer>;

    // `budget` must outlive it; null: only its own size counts.
    explicit AnswerCache(std::size_t bytes_max, MemoryBudget* budget = nullptr)
        : bytes_max_(bytes_max),
          share_(budget, MemoryBudget::Use::cache) {}

    // Others need so much of its memory.
    void give_up(std::size_t bytes);
    // When the config is read again.
    void set_size(std::size_t bytes_max);

    Answer find(std::string_view key, Clock::time_point now);
    void put(std::string_view key, Answer answer, std::chrono::seconds ttl, Clock::time_point now);

    std::size_t bytes() const;

private:
    struct Entry {
        std::string key;
        Answer answer;
        std::size_t bytes;
        Clock::time_point until;
    };
    using Place = std::list<Entry>::iterator;

    void drop(Place entry);
    void shrink_to(std::size_t bytes_max);

    mutable std::mutex mutex_;
    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    MemoryBudget::Share share_;
    std::list<Entry> entries_;                            // asked for last comes last
    std::unordered_map<std::string_view, Place> by_key_;  // views of the entries' own keys
};

}  // namespace runnel::cache
