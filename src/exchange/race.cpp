#include "exchange/race.hpp"

#include "http/as_error.hpp"

#include <algorithm>
#include <exception>

namespace runnel::exchange {

using boost::asio::awaitable;

namespace {

bool has_arrived(const std::shared_ptr<Lane>& lane) { return lane->arrived(); }

}  // namespace

Race::Race(Worker* worker)
    : worker_(worker),
      bell_(std::make_shared<boost::asio::steady_timer>(worker->executor())) {}

Race::~Race() {
    for (const auto& lane : lanes_) lane->call.stop(http::Stop::Reason::outpaced);
}

void Race::enter(std::shared_ptr<Lane> lane) {
    lanes_.push_back(lane);
    worker_->tasks.start("attempt", drive(std::move(lane), bell_));
}

awaitable<void> Race::drive(std::shared_ptr<Lane> lane, Bell bell) {
    std::exception_ptr broken;
    try {
        while (!lane->arrived()) {
            co_await lane->call.advance();
            lane->count_memory();
        }
    } catch (...) {
        // A bug, or no memory: the task group tells the log, and this whoever waits for the lane.
        broken = std::current_exception();
        lane->gate.on(timeline::Failed{
            {ErrorKind::internal_error, "the gateway failed while it read the answer"}});
        lane->gate.on(timeline::Ended{});
    }
    bell->cancel();
    if (broken) std::rethrow_exception(broken);
}

awaitable<void> Race::wait(std::optional<std::chrono::milliseconds> at_most) {
    if (std::ranges::any_of(lanes_, has_arrived)) co_return;
    if (at_most) {
        bell_->expires_after(*at_most);
    } else {
        bell_->expires_at(boost::asio::steady_timer::time_point::max());
    }
    co_await bell_->async_wait(as_error);
}

std::shared_ptr<Lane> Race::take_arrived() {
    const auto found = std::ranges::find_if(lanes_, has_arrived);
    if (found == lanes_.end()) return nullptr;
    auto lane = std::move(*found);
    lanes_.erase(found);
    return lane;
}

}  // namespace runnel::exchange
