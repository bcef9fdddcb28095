#include "http/client/connection_pool.hpp"

#include "base/limits.hpp"
#include "http/watchdog.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace runnel::http {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto sweep_interval = 10s;
constexpr int tail_reads_max = 64;
constexpr auto tail_time = 1s;  // how long the end of an answered response may take

// The tail of a response nobody needs any more.
class Discard final : public ResponseHandler {
    void on_head(const ResponseHead&) override {}
    void on_body(Padded) override {}
};

}  // namespace

ConnectionPool::ConnectionPool(asio::io_context* loop, TaskGroup* tasks, UpstreamTls* tls)
    : loop_(loop),
      tasks_(tasks),
      connector_(loop, tls),
      sweep_timer_(*loop) {}

awaitable<Result<std::unique_ptr<UpstreamConnection>>>
ConnectionPool::connect(const Destination* destination, Stop* stop) {
    auto connection = co_await connector_.connect(destination, stop);
    if (connection) (*connection)->count_among(open_);
    co_return connection;
}

ConnectionPool::Figures ConnectionPool::figures() const {
    const std::int64_t idle = idle_count_.read();
    // Two readings, between which something may happen.
    return {idle, std::max<std::int64_t>(0, open_->read() - idle)};
}

std::unique_ptr<UpstreamConnection> ConnectionPool::take_idle(const Destination& destination) {
    const auto found = idle_.find(destination.pool_key);
    if (found == idle_.end()) return nullptr;
    auto& idle = found->second;
    while (!idle.empty()) {
        auto connection = std::move(idle.back());
        idle.pop_back();
        idle_count_.add(-1);
        // What has come since the last answer would be taken for the next one.
        if (!connection->still_idle()) continue;
        connection->begin_next();
        return connection;
    }
    return nullptr;
}

void ConnectionPool::give_back(std::unique_ptr<UpstreamConnection> connection) {
    if (connection->response_done()) {
        if (connection->reusable()) keep(std::move(connection));
        return;
    }
    tasks_->start("read a response to its end", read_to_end(std::move(connection)));
}

void ConnectionPool::keep(std::unique_ptr<UpstreamConnection> connection) {
    if (std::cmp_greater_equal(idle_count_.read(), limits::upstream_idle_connections)) return;
    connection->idle_since = Clock::now();
    idle_[connection->pool_key()].push_back(std::move(connection));
    idle_count_.add();
    sweep_later();
}

awaitable<void> ConnectionPool::read_to_end(std::unique_ptr<UpstreamConnection> connection) {
    Stop stop;
    Watchdog watchdog(loop_->get_executor());
    watchdog.set(Clock::now() + tail_time, [&stop] { stop.request(Stop::Reason::total_timeout); });
    std::array<char, 512 + padding_bytes> buffer;
    Discard discard;
    Stop::Guard guard(&stop, [&connection] { connection->close(); });
    for (int reads = 0; !connection->response_done(); ++reads) {
        if (reads == tail_reads_max) co_return;  // whatever this is, it is no tail
        error_code error;
        if (connection->must_wait()) std::tie(error) = co_await connection->readable();
        if (error) co_return;
        if (!connection->read(buffer, &discard)) co_return;
    }
    if (connection->reusable()) keep(std::move(connection));
}

void ConnectionPool::sweep_later() {
    if (sweeping_) return;
    sweeping_ = true;
    sweep_timer_.expires_after(sweep_interval);
    sweep_timer_.async_wait([this](const error_code& error) {
        sweeping_ = false;
        if (error) return;
        drop_expired();
        if (idle_count_.read() > 0) sweep_later();
    });
}

void ConnectionPool::drop_expired() {
    const auto expired = Clock::now() - limits::upstream_idle_connection_time;
    for (auto& [key, idle] : idle_)
        std::erase_if(idle,
                      [&](const auto& c) { return c->idle_since < expired || !c->still_idle(); });
    std::erase_if(idle_, [](const auto& entry) { return entry.second.empty(); });
    std::size_t left = 0;
    for (const auto& [key, idle] : idle_) left += idle.size();
    idle_count_.set(static_cast<std::int64_t>(left));
}

}  // namespace runnel::http
