#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace runnel::http {

// One timer whose deadline moves at the price of a store: it is only ever re-armed when it fires
// early or must fire sooner than it is armed for. So a stream can push its idle deadline with every
// chunk.
class Watchdog {
public:
    using Clock = std::chrono::steady_clock;

    explicit Watchdog(const boost::asio::any_io_executor& executor);
    ~Watchdog();

    // Calls `on_expire` once, at `deadline`, unless it is set again or stopped before.
    void set(Clock::time_point deadline, std::function<void()> on_expire);
    // Moves the deadline; the callback stays.
    void move_to(Clock::time_point deadline);
    void stop();

private:
    struct State;
    std::shared_ptr<State>
        state_;  // shared with the pending wait, which may outlive this by one turn of the loop
};

}  // namespace runnel::http
