#pragma once

#include "http/stop.hpp"
#include "http/watchdog.hpp"

#include <chrono>

namespace runnel::agent {

// A stop for one step of some work: requested when the work's own is, or when the step's time is
// over.
class TimedStop {
public:
    TimedStop(const boost::asio::any_io_executor& executor, http::Stop* outer,
              std::chrono::milliseconds time)
        : watchdog_(executor),
          link_(outer, [this, outer] { stop_.request(outer->reason()); }) {
        watchdog_.set(http::Watchdog::Clock::now() + time,
                      [this] { stop_.request(http::Stop::Reason::total_timeout); });
    }
    TimedStop(const TimedStop&) = delete;
    TimedStop& operator=(const TimedStop&) = delete;

    http::Stop* get() { return &stop_; }

private:
    http::Stop stop_;
    http::Watchdog watchdog_;
    http::Stop::Guard link_;
};

}  // namespace runnel::agent
