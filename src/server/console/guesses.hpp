#pragma once

#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace runnel::server {

// Who has shown a wrong admin token or ticket, by address: a few are free, then each costs a wait
// that doubles. Shared by all threads; a new address takes the place of the one that was wrong
// longest ago. Time is passed in.
class Guesses {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr int free_guesses = 5;
    static constexpr std::chrono::seconds first_wait{10};
    static constexpr std::chrono::seconds longest_wait{300};
    static constexpr std::chrono::minutes forgotten_after{30};
    static constexpr std::size_t addresses_max = 4096;

    // How long nothing that this address shows is looked at; 0: it may guess.
    std::chrono::milliseconds wait_of(std::string_view address, Clock::time_point now) const;
    void was_wrong(std::string_view address, Clock::time_point now);
    void was_right(std::string_view address);

private:
    struct Entry {
        std::string network;
        int wrong = 0;
        Clock::time_point last{};
    };
    using Place = std::list<Entry>::iterator;

    mutable std::mutex mutex_;
    std::list<Entry> entries_;  // who was wrong longest ago first
    std::map<std::string, Place, std::less<>> by_network_;
};

}  // namespace runnel::server
