#include "exchange/flights.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

asio::awaitable<void> board(Flights* flights, std::chrono::milliseconds patience,
                            std::optional<Flights::Seat>* seat, bool* done) {
    http::Stop stop;
    auto got = co_await flights->board("key", patience, &stop);
    if (got) seat->emplace(std::move(*got));
    *done = true;
}

struct Passenger {
    std::optional<Flights::Seat> seat{};
    bool done = false;

    void board(asio::io_context& loop, Flights& flights, std::chrono::milliseconds patience) {
        asio::co_spawn(loop, runnel::exchange::board(&flights, patience, &seat, &done),
                       asio::detached);
        loop.restart();
        loop.run_for(20ms);
    }
};

TEST(Flights, TheFirstHasTheSeatAndTheOthersWaitUntilItIsLeft) {
    asio::io_context loop;
    Flights flights;
    Passenger first, second;
    first.board(loop, flights, 1h);
    ASSERT_TRUE(first.seat);
    second.board(loop, flights, 1h);
    EXPECT_FALSE(second.done);
    first.seat.reset();
    loop.restart();
    loop.run_for(20ms);
    EXPECT_TRUE(second.done);
    EXPECT_FALSE(second.seat);
}

TEST(Flights, NobodyWaitsForLongForOneWhoIsInNoHurry) {
    asio::io_context loop;
    Flights flights;
    Passenger first, second, third;
    first.board(loop, flights, 1h);
    second.board(loop, flights, 1ms);
    EXPECT_TRUE(second.done);
    EXPECT_FALSE(second.seat);
    first.seat.reset();  // also where some have gone already
    third.board(loop, flights, 1h);
    EXPECT_TRUE(third.seat);
}

}  // namespace
}  // namespace runnel::exchange
