#include "app/shard.hpp"

#include "base/limits.hpp"
#include "base/log.hpp"
#include "http/as_error.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <vector>

namespace runnel::app {

namespace asio = boost::asio;

namespace {

constexpr auto drain_look_time = std::chrono::milliseconds(10);

}  // namespace

Shard::Shard(const Common& common, const std::shared_ptr<const exchange::Gateway>& gateway,
             http::Entrance entrance, storage::JournalWriter* journal)
    : connections_(common.slots, &common.state->memory, common.essential_connections),
      loop_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      worker_(&loop_, common.upstream_tls),
      app_(exchange::for_one_thread(gateway), &worker_, common.state, common.console,
           common.operations),
      listener_(&loop_, &worker_.tasks, &app_, entrance, &connections_),
      local_listener_(&loop_, &worker_.tasks, &app_, entrance.limits, &connections_) {
    worker_.journal = journal;
    common.state->threads.push_back({&worker_, &connections_});
}

void Shard::run() {
    listener_.start();
    local_listener_.start();
    const auto work = asio::make_work_guard(loop_);
    loop_.run();
}

void Shard::use(const std::shared_ptr<const exchange::Gateway>& gateway, http::Entrance entrance,
                std::function<void()> done) {
    asio::post(loop_, [this, gateway, entrance = std::move(entrance), done = std::move(done)] {
        app_.use(exchange::for_one_thread(gateway));
        listener_.use(entrance);
        local_listener_.use(entrance.limits);
        done();
    });
}

void Shard::drain(Drain drain) {
    asio::post(loop_, [this, drain] { worker_.tasks.start("drain", drain_here(drain)); });
}

asio::awaitable<void> Shard::drain_here(Drain drain) {
    const auto begun = Clock::now();
    const auto deadline = begun + drain.timeout;
    app_.begin_drain();
    connections_.begin_drain();
    if (drain.hand_over.count() > 0) {
        asio::steady_timer timer(loop_, std::min(begun + drain.hand_over, deadline));
        co_await timer.async_wait(as_error);
    }
    listener_.stop();
    local_listener_.stop();
    connections_.close_idle();
    co_await all_closed(std::min(Clock::now() + drain.late_requests, deadline));
    connections_.close_unasked();
    co_await all_closed(deadline);
    std::size_t count = connections_.stop_answers(http::Stop::Reason::shutdown);
    for (http::Stop* stop : std::vector(worker_.background.begin(), worker_.background.end())) {
        stop->request(http::Stop::Reason::shutdown);
        ++count;
    }
    if (count > 0) {
        log::Line(log::Level::warning, "drain_timeout is over").add("requests", count).write();
        co_await all_closed(Clock::now() + limits::last_words_time);
    }
    loop_.stop();
}

asio::awaitable<void> Shard::all_closed(Clock::time_point deadline) {
    asio::steady_timer timer(loop_);
    // What was just closed needs a turn of the loop to be gone.
    co_await asio::post(loop_, asio::use_awaitable);
    const auto open = [this] { return !connections_.empty() || !worker_.background.empty(); };
    while (open() && Clock::now() < deadline) {
        timer.expires_after(drain_look_time);
        co_await timer.async_wait(as_error);
    }
}

}  // namespace runnel::app
