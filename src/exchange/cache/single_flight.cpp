#include "exchange/cache/single_flight.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace runnel::exchange {

namespace asio = boost::asio;
using asio::awaitable;

awaitable<std::optional<SingleFlight::Lead>>
SingleFlight::join(std::string key, std::chrono::milliseconds patience, http::Stop* stop) {
    const auto loop = co_await asio::this_coro::executor;
    const Timer timer = wait_in_line(key, patience, loop);
    if (!timer) co_return Lead(this, std::move(key));
    http::Stop::Guard guard(stop, [timer] { timer->cancel(); });
    if (!stop->requested()) co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
    co_return std::nullopt;
}

SingleFlight::Timer SingleFlight::wait_in_line(const std::string& key,
                                               std::chrono::milliseconds patience,
                                               const asio::any_io_executor& loop) {
    const std::scoped_lock lock(mutex_);
    const auto [flight, first] = waiting_.try_emplace(key);
    if (first) return nullptr;
    auto timer = std::make_shared<asio::steady_timer>(loop, patience);
    flight->second.push_back(timer);
    return timer;
}

// A timer belongs to its waiter's loop, so it is cancelled there. That comes after the waiter has
// begun to wait, which it does in the same turn of its loop in which it got into the line.
void SingleFlight::finish(const std::string& key) {
    std::vector<Timer> waited;
    {
        const std::scoped_lock lock(mutex_);
        waited = std::move(waiting_.extract(key).mapped());
    }
    for (const Timer& timer : waited)
        asio::post(timer->get_executor(), [timer] { timer->cancel(); });
}

}  // namespace runnel::exchange
