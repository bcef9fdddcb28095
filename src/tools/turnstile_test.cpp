#include "tools/turnstile.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace runnel::tools {
namespace {

namespace asio = boost::asio;
using testing::ElementsAre;

struct Hall {
    asio::io_context loop;
    Turnstile turnstile;
    std::vector<std::string> events;
};

asio::awaitable<void> pass_through(Hall* hall, std::string name, http::Stop* stop, int turns) {
    const auto pass = co_await hall->turnstile.enter(stop);
    hall->events.push_back(name + (pass ? " in" : " stopped"));
    for (int i = 0; i < turns; ++i) co_await asio::post(hall->loop, asio::use_awaitable);
    if (pass) hall->events.push_back(name + " out");
}

void start(Hall& hall, std::string name, http::Stop* stop, int turns = 3) {
    asio::co_spawn(hall.loop, pass_through(&hall, std::move(name), stop, turns), asio::detached);
}

TEST(Turnstile, LetsOneThroughAtATimeInOrder) {
    Hall hall;
    http::Stop stop;
    for (const char* name : {"a", "b", "c"}) start(hall, name, &stop);
    hall.loop.run();
    EXPECT_THAT(hall.events, ElementsAre("a in", "a out", "b in", "b out", "c in", "c out"));
}

TEST(Turnstile, WhoIsStoppedLeavesTheQueue) {
    Hall hall;
    http::Stop stays, leaves;
    start(hall, "a", &stays, 10);
    start(hall, "b", &leaves);
    start(hall, "c", &stays);
    asio::post(hall.loop, [&] { leaves.request(http::Stop::Reason::client_gone); });
    hall.loop.run();
    EXPECT_THAT(hall.events, ElementsAre("a in", "b stopped", "a out", "c in", "c out"));
}

TEST(Turnstile, WhoComesStoppedDoesNotWait) {
    Hall hall;
    http::Stop stays, stopped;
    stopped.request(http::Stop::Reason::client_gone);
    start(hall, "a", &stays);
    start(hall, "b", &stopped);
    hall.loop.run();
    EXPECT_THAT(hall.events, ElementsAre("a in", "b stopped", "a out"));
}

TEST(Turnstile, APassMayOutliveIt) {
    http::Stop stop;
    Hall hall;
    start(hall, "a", &stop, 1'000'000);
    hall.loop.run_one();
    hall.turnstile = Turnstile();
    hall.loop.run_for(std::chrono::milliseconds(1));  // and what is left goes with the loop
    EXPECT_THAT(hall.events, ElementsAre("a in"));
}

}  // namespace
}  // namespace runnel::tools
