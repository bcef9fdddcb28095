#pragma once

#include "http/stop.hpp"
#include "http/watchdog.hpp"

#include <chrono>

namespace runnel::http {

// A deadline for one step of some work: requested when the work's own stop is, or when the step's
// time is over.
class TimedStop {
public:
    TimedStop(const boost::asio::any_io_executor& executor, Stop* outer,
              std::chrono::milliseconds time)
        : watchdog_(executor),
          link_(outer, [this, outer] { stop_.request(outer->reason()); }) {
        watchdog_.set(Watchdog::Clock::now() + time,
                      [this] { stop_.request(Stop::Reason::total_timeout); });
    }
    TimedStop(const TimedStop&) = delete;
    TimedStop& operator=(const TimedStop&) = delete;

    Stop* get() { return &stop_; }

private:
    Stop stop_;
    Watchdog watchdog_;
    Stop::Guard link_;
};

}  // namespace runnel::http
