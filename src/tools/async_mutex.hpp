#pragma once

#include "http/stop.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <utility>

namespace runnel::tools {

// Lets one coroutine through at a time, in the order they came. On one thread.
class AsyncMutex {
    struct State;

public:
    AsyncMutex();

    // Whoever holds it is inside; the next one comes in when it goes.
    class [[nodiscard]] Lock {
    public:
        Lock() = default;
        explicit Lock(std::shared_ptr<State> state) : state_(std::move(state)) {}
        Lock(Lock&& other) noexcept : state_(std::move(other.state_)) {}
        Lock& operator=(Lock&&) = delete;
        ~Lock();
        explicit operator bool() const { return state_ != nullptr; }

    private:
        std::shared_ptr<State> state_;
    };

    // An empty lock when the stop came first.
    boost::asio::awaitable<Lock> acquire(http::Stop* stop);

private:
    std::shared_ptr<State> state_;  // locks may outlive this, in coroutines that are cut off
};

}  // namespace runnel::tools
