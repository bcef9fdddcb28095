#include "exchange/admission/admission.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace runnel::exchange {

namespace asio = boost::asio;
using asio::awaitable;

namespace {

constexpr auto retry_time = std::chrono::seconds(1);

}  // namespace

// One who waits in the queue; it belongs to the coroutine that does.
class Admission::Waiter {
public:
    // With the lock held.
    Waiter(Admission* to, const asio::any_io_executor& loop, std::chrono::milliseconds time)
        : to_(to),
          timer_(std::make_shared<asio::steady_timer>(loop, time)),
          self_(to->queue_.insert(to->queue_.end(), this)) {}

    ~Waiter() {
        const std::scoped_lock lock(to_->mutex_);
        if (!ticket_) to_->queue_.erase(self_);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    // With the lock held, on any thread. The timer belongs to the waiter's own loop, and may
    // outlive the waiter by one turn of it.
    void let_in(Ticket ticket) {
        to_->queue_.erase(self_);
        ticket_.emplace(std::move(ticket));
        asio::post(timer_->get_executor(), [timer = timer_] { timer->cancel(); });
    }

    awaitable<void> wait(http::Stop* stop) {
        http::Stop::Guard guard(stop, [this] { timer_->cancel(); });
        co_await timer_->async_wait(asio::as_tuple(asio::use_awaitable));
    }

    // Nothing when the time was over first.
    std::optional<Ticket> take_ticket() {
        const std::scoped_lock lock(to_->mutex_);
        if (!ticket_) return std::nullopt;
        return std::move(*ticket_);
    }

private:
    Admission* to_;
    std::shared_ptr<asio::steady_timer> timer_;
    std::list<Waiter*>::iterator self_;
    std::optional<Ticket> ticket_;
};

Admission::Admission(std::string what, Limits limits) : what_(std::move(what)), limits_(limits) {}

std::optional<Admission::Ticket> Admission::try_enter() {
    const std::scoped_lock lock(mutex_);
    if (!has_place() || !queue_.empty()) return std::nullopt;
    ++inside_;
    return Ticket(this);
}

awaitable<Result<Admission::Ticket>> Admission::enter(http::Stop* stop) {
    if (auto ticket = try_enter()) co_return std::move(*ticket);
    const auto loop = co_await asio::this_coro::executor;
    const std::unique_ptr<Waiter> waiter = stop->requested() ? nullptr : queue_up(loop);
    if (!waiter) co_return fail(refusal());
    co_await waiter->wait(stop);
    auto ticket = waiter->take_ticket();
    if (!ticket) co_return fail(refusal());
    co_return std::move(*ticket);
}

// Null when the queue is full.
std::unique_ptr<Admission::Waiter> Admission::queue_up(const asio::any_io_executor& loop) {
    const std::scoped_lock lock(mutex_);
    if (queue_.size() >= limits_.queue) return nullptr;
    auto waiter = std::make_unique<Waiter>(this, loop, limits_.queue_time);
    let_in();  // the last one inside may have left since nobody waited for it
    return waiter;
}

void Admission::leave() {
    const std::scoped_lock lock(mutex_);
    --inside_;
    let_in();
}

void Admission::let_in() {
    while (!queue_.empty() && has_place()) {
        ++inside_;
        queue_.front()->let_in(Ticket(this));
    }
}

void Admission::set_limits(Limits limits) {
    const std::scoped_lock lock(mutex_);
    limits_ = limits;
    let_in();
}

Admission::Figures Admission::figures() const {
    const std::scoped_lock lock(mutex_);
    return {inside_, queue_.size(), limits_.concurrent};
}

Error Admission::refusal() const {
    Error error{ErrorKind::overloaded,
                fmt::format("{} is busy with as many requests as it takes at a time", what_)};
    error.retry_after = retry_time;
    return error;
}

Admission* AdmissionTable::find(std::string_view name) const {
    const std::scoped_lock lock(mutex_);
    const auto found = admissions_.find(name);
    return found == admissions_.end() ? nullptr : found->second.get();
}

void AdmissionTable::set_limits(const std::map<std::string, Admission::Limits>& limits) {
    const std::scoped_lock lock(mutex_);
    for (auto& [name, admission] : admissions_)
        if (!limits.contains(name)) admission->set_limits({});
    for (const auto& [name, wanted] : limits) {
        auto& admission = admissions_[name];
        if (admission) {
            admission->set_limits(wanted);
        } else {
            admission = std::make_unique<Admission>(fmt::format("{} '{}'", kind_, name), wanted);
        }
    }
}

}  // namespace runnel::exchange
