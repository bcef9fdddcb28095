#include "server/console/guesses.hpp"

#include "metering/client_network.hpp"

#include <algorithm>
#include <iterator>

namespace runnel::server {

std::chrono::milliseconds Guesses::wait_of(std::string_view address, Clock::time_point now) const {
    const std::string network = metering::client_network(address);
    const std::scoped_lock lock(mutex_);
    const auto known = by_network_.find(network);
    if (known == by_network_.end()) return {};
    const Entry& entry = *known->second;
    if (entry.wrong < free_guesses) return {};
    const int doublings = std::min(entry.wrong - free_guesses, 5);
    const std::chrono::seconds wait = std::min(first_wait * (1 << doublings), longest_wait);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(entry.last + wait - now);
    return std::max(left, std::chrono::milliseconds(0));
}

void Guesses::was_wrong(std::string_view address, Clock::time_point now) {
    const std::string network = metering::client_network(address);
    const std::scoped_lock lock(mutex_);
    auto known = by_network_.find(network);
    if (known == by_network_.end()) {
        if (entries_.size() >= addresses_max) {
            by_network_.erase(entries_.front().network);
            entries_.pop_front();
        }
        entries_.push_back({network});
        known = by_network_.emplace(network, std::prev(entries_.end())).first;
    }
    Entry& entry = *known->second;
    if (now - entry.last > forgotten_after) entry.wrong = 0;
    ++entry.wrong;
    entry.last = now;
    entries_.splice(entries_.end(), entries_, known->second);
}

void Guesses::was_right(std::string_view address) {
    const std::string network = metering::client_network(address);
    const std::scoped_lock lock(mutex_);
    const auto known = by_network_.find(network);
    if (known == by_network_.end()) return;
    entries_.erase(known->second);
    by_network_.erase(known);
}

}  // namespace runnel::server
