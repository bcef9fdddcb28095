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
using Answered = std::move_only_function<void(T)>;

// The answer may come before the coroutine has begun to wait for it, or after
// that: whoever comes second goes on.
template <class T>
struct Meeting {
    std::optional<T> answer;
    Answered<T> waiting;
    std::atomic<bool> first_came = false;

    bool comes_second() { return first_came.exchange(true, std::memory_order_acq_rel); }
};

template <class T>
boost::asio::awaitable<T> wait_for(std::shared_ptr<Meeting<T>> meeting) {
    namespace asio = boost::asio;
    auto begin = [meeting](auto handler) {
        auto executor = asio::prefer(asio::get_associated_executor(handler),
                                     asio::execution::outstanding_work.tracked);
        meeting->waiting = [handler = std::move(handler), executor](T answer) mutable {
            asio::post(executor,
                       [handler = std::move(handler), answer = std::move(answer)]() mutable {
                           std::move(handler)(std::move(answer));
                       });
        };
        if (meeting->comes_second()) meeting->waiting(std::move(*meeting->answer));
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(T)>(
        std::move(begin), asio::use_awaitable);
}

// What `ask` answers to; the coroutine goes on on its own thread, without a
// turn of its loop where the answer comes at once.
template <class T, class Ask>
boost::asio::awaitable<T> answer_of(Ask ask) {
    const auto meeting = std::make_shared<Meeting<T>>();
    ask(Answered<T>([meeting](T answer) {
        meeting->answer = std::move(answer);
        if (meeting->comes_second()) meeting->waiting(std::move(*meeting->answer));
    }));
    // Nobody else touches it once it came.
    if (meeting->first_came.load(std::memory_order_acquire)) co_return std::move(*meeting->answer);
    co_return co_await wait_for<T>(meeting);
}

}  // namespace runnel::exchange
