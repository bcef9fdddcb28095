#include "exchange/cache/single_flight.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

asio::awaitable<void> join(SingleFlight* single_flight, std::chrono::milliseconds patience,
                           std::optional<SingleFlight::Lead>* lead, bool* done) {
    http::Stop stop;
    auto got = co_await single_flight->join("key", patience, &stop);
    if (got) lead->emplace(std::move(*got));
    *done = true;
}

struct Passenger {
    std::optional<SingleFlight::Lead> lead{};
    bool done = false;

    void join(asio::io_context& loop, SingleFlight& single_flight,
              std::chrono::milliseconds patience) {
        asio::co_spawn(loop, runnel::exchange::join(&single_flight, patience, &lead, &done),
                       asio::detached);
        loop.restart();
        loop.run_for(20ms);
    }
};

TEST(SingleFlight, TheFirstLeadsAndTheOthersWaitUntilItIsDone) {
    asio::io_context loop;
    SingleFlight single_flight;
    Passenger first, second;
    first.join(loop, single_flight, 1h);
    ASSERT_TRUE(first.lead);
    second.join(loop, single_flight, 1h);
    EXPECT_FALSE(second.done);
    first.lead.reset();
    loop.restart();
    loop.run_for(20ms);
    EXPECT_TRUE(second.done);
    EXPECT_FALSE(second.lead);
}

TEST(SingleFlight, NobodyWaitsForLongForOneWhoIsInNoHurry) {
    asio::io_context loop;
    SingleFlight single_flight;
    Passenger first, second, third;
    first.join(loop, single_flight, 1h);
    second.join(loop, single_flight, 1ms);
    EXPECT_TRUE(second.done);
    EXPECT_FALSE(second.lead);
    first.lead.reset();  // also where some have gone already
    third.join(loop, single_flight, 1h);
    EXPECT_TRUE(third.lead);
}

}  // namespace
}  // namespace runnel::exchange
