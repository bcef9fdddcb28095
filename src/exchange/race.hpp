#pragma once

#include "exchange/lane.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace runnel::exchange {

// Lanes that run side by side until one of them arrives.
class Race {
public:
    explicit Race(Worker* worker);
    ~Race();  // whoever still runs is stopped

    void enter(std::shared_ptr<Lane> lane);
    // Until a lane has arrived, the time has passed, or wake() was called.
    boost::asio::awaitable<void> wait(std::optional<std::chrono::milliseconds> at_most);
    void wake() { bell_->cancel(); }
    // Takes a lane that has arrived out of the race; null: none has.
    std::shared_ptr<Lane> take_arrived();
    const std::vector<std::shared_ptr<Lane>>& running() const { return lanes_; }

private:
    using Bell = std::shared_ptr<boost::asio::steady_timer>;
    static boost::asio::awaitable<void> drive(std::shared_ptr<Lane> lane, Bell bell);

    Worker* worker_;
    std::vector<std::shared_ptr<Lane>> lanes_;
    Bell bell_;  // shared with lanes that outlive the race
};

}  // namespace runnel::exchange
