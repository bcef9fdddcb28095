#include "tools/async_mutex.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <list>

namespace runnel::tools {

namespace asio = boost::asio;

namespace {

struct Waiter {
    asio::steady_timer bell;
    bool admitted = false;
};

}  // namespace

struct AsyncMutex::State {
    bool taken = false;
    std::list<std::shared_ptr<Waiter>> waiting;
};

AsyncMutex::AsyncMutex() : state_(std::make_shared<State>()) {}

AsyncMutex::Lock::~Lock() {
    if (!state_) return;
    if (state_->waiting.empty()) {
        state_->taken = false;
        return;
    }
    const auto next = std::move(state_->waiting.front());
    state_->waiting.pop_front();
    next->admitted = true;
    next->bell.cancel();
}

asio::awaitable<AsyncMutex::Lock> AsyncMutex::acquire(http::Stop* stop) {
    const auto state = state_;
    if (!state->taken) {
        state->taken = true;
        co_return Lock(state);
    }
    const auto executor = co_await asio::this_coro::executor;
    const auto waiter = std::make_shared<Waiter>(
        asio::steady_timer(executor, asio::steady_timer::time_point::max()));
    state->waiting.push_back(waiter);
    http::Stop::Guard guard(stop, [&waiter] { waiter->bell.cancel(); });
    // A bell that has rung already would not be heard.
    if (!stop->requested()) co_await waiter->bell.async_wait(asio::as_tuple(asio::use_awaitable));
    if (waiter->admitted) co_return Lock(state);
    state->waiting.remove(waiter);
    co_return Lock();
}

}  // namespace runnel::tools
