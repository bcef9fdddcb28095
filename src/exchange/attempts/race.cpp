#include "exchange/attempts/race.hpp"

#include "http/as_error.hpp"

#include <algorithm>
#include <exception>

namespace runnel::exchange {

using boost::asio::awaitable;

namespace {

bool has_arrived(const std::shared_ptr<Attempt>& attempt) { return attempt->arrived(); }

}  // namespace

Race::Race(http::TaskGroup* tasks)
    : tasks_(tasks),
      bell_(std::make_shared<boost::asio::steady_timer>(tasks->executor())) {}

Race::~Race() {
    for (const auto& attempt : attempts_) attempt->call.stop(http::Stop::Reason::outpaced);
}

void Race::enter(std::shared_ptr<Attempt> attempt) {
    attempts_.push_back(attempt);
    tasks_->start("attempt", drive(std::move(attempt), bell_));
}

awaitable<void> Race::drive(std::shared_ptr<Attempt> attempt, Bell bell) {
    std::exception_ptr broken;
    try {
        while (!attempt->arrived()) {
            co_await attempt->call.advance();
            attempt->count_memory();
        }
    } catch (...) {
        // A bug, or no memory: the task group tells the log, and this whoever waits for the
        // attempt.
        broken = std::current_exception();
        attempt->gate.on(timeline::Failed{
            {ErrorKind::internal_error, "the gateway failed while it read the answer"}});
        attempt->gate.on(timeline::Ended{});
    }
    bell->cancel();
    if (broken) std::rethrow_exception(broken);
}

awaitable<void> Race::wait(std::optional<std::chrono::milliseconds> at_most) {
    if (std::ranges::any_of(attempts_, has_arrived)) co_return;
    if (at_most) {
        bell_->expires_after(*at_most);
    } else {
        bell_->expires_at(boost::asio::steady_timer::time_point::max());
    }
    co_await bell_->async_wait(as_error);
}

std::shared_ptr<Attempt> Race::take_arrived() {
    const auto found = std::ranges::find_if(attempts_, has_arrived);
    if (found == attempts_.end()) return nullptr;
    auto attempt = std::move(*found);
    attempts_.erase(found);
    return attempt;
}

}  // namespace runnel::exchange
