#pragma once

#include "http/stop.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <utility>

namespace runnel::tools {

// Lets one coroutine through at a time, in the order they came. On one thread.
class Turnstile {
    struct State;

public:
    Turnstile();

    // Whoever holds it is inside; the next one comes in when it goes.
    class [[nodiscard]] Pass {
    public:
        Pass() = default;
        explicit Pass(std::shared_ptr<State> state) : state_(std::move(state)) {}
        Pass(Pass&& other) noexcept : state_(std::move(other.state_)) {}
        Pass& operator=(Pass&&) = delete;
        ~Pass();
        explicit operator bool() const { return state_ != nullptr; }

    private:
        std::shared_ptr<State> state_;
    };

    // An empty pass when the stop came first.
    boost::asio::awaitable<Pass> enter(http::Stop* stop);

private:
    std::shared_ptr<State> state_;  // passes may outlive this, in coroutines that are cut off
};

}  // namespace runnel::tools
