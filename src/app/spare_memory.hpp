#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace runnel::app {

// Before the first thread: large pieces of memory go back to the system as soon as they are freed.
// By itself the C library keeps ever larger ones to itself, once it has seen them come and go.
void set_up_allocator();

// Has the C library give back what lies free between small pieces that are in use, after a peak.
class SpareMemory {
public:
    // Looks now and then, on `loop`, whose thread serves no requests.
    explicit SpareMemory(boost::asio::io_context* loop);

private:
    void look_later();
    void look();

    boost::asio::steady_timer timer_;
};

}  // namespace runnel::app
