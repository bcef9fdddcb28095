#pragma once

#include "base/memory_budget.hpp"

#include <chrono>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace runnel {

// Keeps values by name for a while, within a size; the oldest go first. Shared by all threads. Time
// is passed in.
template <class Value>
class ExpiringStore {
public:
    using Clock = std::chrono::steady_clock;

    // `budget` must outlive it; null: only its own size counts.
    ExpiringStore(std::chrono::milliseconds lifetime, std::size_t bytes_max,
                  MemoryBudget* budget = nullptr)
        : lifetime_(lifetime),
          bytes_max_(bytes_max),
          share_(budget, MemoryBudget::Use::state) {}

    // `bytes` is about what the value takes.
    void put(std::string_view name, Value value, std::size_t bytes, Clock::time_point now) {
        const std::scoped_lock lock(mutex_);
        if (const auto known = by_name_.find(name); known != by_name_.end()) drop(known->second);
        bytes += sizeof(Entry) + name.size();
        entries_.push_back({std::string(name), std::move(value), bytes, now + lifetime_});
        const auto added = std::prev(entries_.end());
        by_name_.emplace(added->name, added);
        bytes_ += bytes;
        while (!entries_.empty() && (entries_.front().until < now || bytes_ > bytes_max_))
            drop(entries_.begin());
        while (!share_.resize(bytes_)) drop(entries_.begin());  // nothing always fits
    }

    std::optional<Value> find(std::string_view name, Clock::time_point now) const {
        const std::scoped_lock lock(mutex_);
        const auto known = by_name_.find(name);
        if (known == by_name_.end() || known->second->until < now) return std::nullopt;
        return known->second->value;
    }

    // The same, for one caller only: it is gone then.
    std::optional<Value> take(std::string_view name, Clock::time_point now) {
        const std::scoped_lock lock(mutex_);
        const auto known = by_name_.find(name);
        if (known == by_name_.end() || known->second->until < now) return std::nullopt;
        std::optional<Value> value(std::move(known->second->value));
        drop(known->second);
        return value;
    }

    void remove(std::string_view name) {
        const std::scoped_lock lock(mutex_);
        if (const auto known = by_name_.find(name); known != by_name_.end()) drop(known->second);
    }

private:
    struct Entry {
        std::string name;
        Value value;
        std::size_t bytes;
        Clock::time_point until;
    };
    using Place = typename std::list<Entry>::iterator;

    void drop(Place entry) {
        bytes_ -= entry->bytes;
        by_name_.erase(entry->name);
        entries_.erase(entry);
    }

    std::chrono::milliseconds lifetime_;
    std::size_t bytes_max_;
    mutable std::mutex mutex_;
    std::list<Entry> entries_;                             // oldest first
    std::unordered_map<std::string_view, Place> by_name_;  // views of the entries' own names
    std::size_t bytes_ = 0;
    MemoryBudget::Share share_;
};

}  // namespace runnel
