#include "app/lifecycle.hpp"

#include "app/service_notice.hpp"
#include "base/limits.hpp"
#include "base/log.hpp"

#include <csignal>

namespace runnel::app {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

constexpr auto look_again_time = 250ms;

std::vector<int> sockets_of(const std::vector<std::unique_ptr<Shard>>& shards) {
    std::vector<int> sockets;
    for (const auto& shard : shards) sockets.push_back(shard->socket());
    return sockets;
}

}  // namespace

Lifecycle::Lifecycle(boost::asio::io_context* loop, RunningConfig* config,
                     std::vector<std::unique_ptr<Shard>>* shards)
    : signals_(*loop, SIGHUP, SIGINT, SIGTERM),
      port_timer_(*loop),
      config_(config),
      shards_(shards),
      port_(sockets_of(*shards)) {
    wait_for_signal();
    if (!port_.has_predecessor()) return;
    log::Line(log::Level::warning, "another process listens on this port too")
        .add("detail", "until one of them ends, each gets some of the connections")
        .write();
    wait_for_port();
}

void Lifecycle::wait_for_signal() {
    signals_.async_wait([this](const error_code& error, int signal) {
        if (error) return;
        obey(signal);
        wait_for_signal();
    });
}

void Lifecycle::obey(int signal) {
    if (signal == SIGHUP) {
        config_->reload({"signal", ""}, [](const auto&) {});
    } else if (ending_) {
        for (const auto& shard : *shards_) shard->stop_now();
    } else {
        ending_ = true;
        end(signal);
    }
}

void Lifecycle::end(int signal) {
    port_timer_.cancel();
    config_->close();
    Shard::Drain drain{.timeout = config_->drain_timeout()};
    if (signal == SIGTERM) {
        drain.late_requests = limits::late_request_time;
        if (port_.hand_over()) drain.hand_over = limits::hand_over_time;
    }
    log::Line(log::Level::info, "draining")
        .add("signal", signal == SIGTERM ? "SIGTERM" : "SIGINT")
        .add("port_handed_over", drain.hand_over.count() > 0)
        .write();
    tell_service_manager("STOPPING=1");
    for (const auto& shard : *shards_) shard->drain(drain);
}

// The process that was here before takes its connections along until it has left.
void Lifecycle::wait_for_port() {
    port_timer_.expires_after(look_again_time);
    port_timer_.async_wait([this](const error_code& error) {
        if (error || ending_) return;
        if (port_.has_predecessor()) {
            wait_for_port();
            return;
        }
        port_.take_over();
        log::Line(log::Level::info, "the port is this process's alone").write();
    });
}

}  // namespace runnel::app
