#include "http/watchdog.hpp"

#include <boost/asio/steady_timer.hpp>

namespace runnel::http {

struct Watchdog::State : std::enable_shared_from_this<Watchdog::State> {
    explicit State(const boost::asio::any_io_executor& executor) : timer(executor) {}

    boost::asio::steady_timer timer;
    Clock::time_point deadline = Clock::time_point::max();
    Clock::time_point armed_for = Clock::time_point::max();
    std::function<void()> on_expire;

    void arm() {
        if (deadline >= armed_for) return;
        armed_for = deadline;
        timer.expires_at(deadline);  // cancels the earlier wait
        timer.async_wait([self = shared_from_this()](boost::system::error_code error) {
            if (!error) self->expire();
        });
    }

    void expire() {
        armed_for = Clock::time_point::max();
        if (Clock::now() < deadline) {
            if (deadline != Clock::time_point::max()) arm();
            return;
        }
        deadline = Clock::time_point::max();
        if (auto call = std::move(on_expire)) call();
    }
};

Watchdog::Watchdog(const boost::asio::any_io_executor& executor)
    : state_(std::make_shared<State>(executor)) {}

Watchdog::~Watchdog() {
    stop();
    state_->timer.cancel();
}

void Watchdog::set(Clock::time_point deadline, std::function<void()> on_expire) {
    state_->on_expire = std::move(on_expire);
    move_to(deadline);
}

void Watchdog::move_to(Clock::time_point deadline) {
    state_->deadline = deadline;
    state_->arm();
}

void Watchdog::stop() {
    state_->deadline = Clock::time_point::max();
    state_->on_expire = nullptr;
}

}  // namespace runnel::http
