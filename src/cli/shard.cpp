#include "cli/shard.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

namespace runnel::cli {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto stop_time = 10s;  // for open streams to end after a signal

}  // namespace

Shard::Shard(const Common& common, const std::shared_ptr<const exchange::Gateway>& gateway,
             http::ConnectionLimits limits)
    : loop_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      worker_(&loop_, common.upstream_tls),
      app_(exchange::for_one_thread(gateway), &worker_, common.state, common.operations),
      listener_(&loop_, &worker_.tasks, &app_, common.tls, limits) {}

void Shard::run() {
    listener_.start();
    const auto work = asio::make_work_guard(loop_);
    loop_.run();
}

void Shard::use(const std::shared_ptr<const exchange::Gateway>& gateway,
                http::ConnectionLimits limits, std::function<void()> done) {
    asio::post(loop_, [this, gateway, limits, done = std::move(done)] {
        app_.use(exchange::for_one_thread(gateway));
        listener_.use(limits);
        done();
    });
}

void Shard::stop() {
    asio::post(loop_, [this] {
        listener_.stop();
        deadline_ = std::chrono::steady_clock::now() + stop_time;
        end_when_idle();
    });
}

void Shard::end_when_idle() {
    if (app_.open_requests() == 0 || std::chrono::steady_clock::now() > deadline_) {
        loop_.stop();
        return;
    }
    check_timer_.expires_after(20ms);
    check_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) end_when_idle();
    });
}

}  // namespace runnel::cli
