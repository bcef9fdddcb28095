#pragma once

#include "metering/local_meter.hpp"
#include "storage/journal/entry.hpp"
#include "storage/journal/places.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace runnel::storage {

// What other processes that keep their journal in the same place have reserved for requests that
// are under way there: above all one that drains while this one takes its port over. A reservation
// ends when the store has what the request cost. Of a process that is gone, the recovery brings
// that about.
class OpenElsewhere {
public:
    using Clock = std::chrono::steady_clock;

    explicit OpenElsewhere(JournalPlaces places) : places_(std::move(places)) {}

    // Looks at the others' journals, on one thread at a time.
    void look();

    // What they have reserved of a budget, where the ledger was asked then. From any thread.
    metering::Reserved reserved(const metering::Hold& hold, Clock::time_point asked) const;

    // Is called, on the thread that looks, when the ledger has something new of theirs.
    void on_stored(std::function<void()> call);

private:
    struct Reservation {
        std::vector<std::string> holders{};
        Money amount{};
        access::UtcTime began{};
        bool is_open = true;
        Clock::time_point stored = Clock::time_point::max();  // the ledger has it since then
    };
    using ByHolder = std::unordered_map<std::string, std::vector<Reservation>>;

    void look_at(const std::string& process, std::map<std::string, Reservation>& known);
    bool waits_for_the_store(const std::string& process) const;
    void publish();

    JournalPlaces places_;
    std::mutex looking_;
    std::map<std::string, std::map<std::string, Reservation>> known_;  // by process and request
    Clock::time_point told_{};
    bool to_be_told_ = false;
    std::function<void()> stored_;

    std::atomic<bool> any_ = false;
    mutable std::mutex mutex_;
    std::shared_ptr<const ByHolder> by_holder_;
};

}  // namespace runnel::storage
