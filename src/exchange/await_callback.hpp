#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

// How a coroutine waits for somebody who answers by a call, at once or later,
// on any thread.
namespace runnel::exchange {

template <class T>
using Callback = std::move_only_function<void(T)>;

// The answer may come before the coroutine has begun to wait for it, or after
// that: whoever comes second goes on.
template <class T>
struct PendingCall {
    std::optional<T> answer;
    Callback<T> waiting;
    std::atomic<bool> first_came = false;

    bool comes_second() { return first_came.exchange(true, std::memory_order_acq_rel); }
};

template <class T>
boost::asio::awaitable<T> wait_for(std::shared_ptr<PendingCall<T>> pending) {
    namespace asio = boost::asio;
    auto begin = [pending](auto handler) {
        auto executor = asio::prefer(asio::get_associated_executor(handler),
                                     asio::execution::outstanding_work.tracked);
        pending->waiting = [handler = std::move(handler), executor](T answer) mutable {
            asio::post(executor,
                       [handler = std::move(handler), answer = std::move(answer)]() mutable {
                           std::move(handler)(std::move(answer));
                       });
        };
        if (pending->comes_second()) pending->waiting(std::move(*pending->answer));
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(T)>(
        std::move(begin), asio::use_awaitable);
}

// What `ask` answers to; the coroutine goes on on its own thread, without a
// turn of its loop where the answer comes at once.
template <class T, class Ask>
boost::asio::awaitable<T> await_callback(Ask ask) {
    const auto pending = std::make_shared<PendingCall<T>>();
    ask(Callback<T>([pending](T answer) {
        pending->answer = std::move(answer);
        if (pending->comes_second()) pending->waiting(std::move(*pending->answer));
    }));
    // Nobody else touches it once it came.
    if (pending->first_came.load(std::memory_order_acquire)) co_return std::move(*pending->answer);
    co_return co_await wait_for<T>(pending);
}

}  // namespace runnel::exchange
