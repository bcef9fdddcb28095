#pragma once

#include "exchange/attempts/attempt.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace runnel::exchange {

// Attempts that run side by side until one of them arrives.
class Race {
public:
    explicit Race(http::TaskGroup* tasks);
    ~Race();  // whoever still runs is stopped

    void enter(std::shared_ptr<Attempt> attempt);
    // Until an attempt has arrived, the time has passed, or wake() was called.
    boost::asio::awaitable<void> wait(std::optional<std::chrono::milliseconds> at_most);
    void wake() { bell_->cancel(); }
    // Takes an attempt that has arrived out of the race; null: none has.
    std::shared_ptr<Attempt> take_arrived();
    const std::vector<std::shared_ptr<Attempt>>& running() const { return attempts_; }

private:
    using Bell = std::shared_ptr<boost::asio::steady_timer>;
    static boost::asio::awaitable<void> drive(std::shared_ptr<Attempt> attempt, Bell bell);

    http::TaskGroup* tasks_;
    std::vector<std::shared_ptr<Attempt>> attempts_;
    Bell bell_;  // shared with attempts that outlive the race
};

}  // namespace runnel::exchange
