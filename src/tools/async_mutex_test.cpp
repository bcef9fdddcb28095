#include "tools/async_mutex.hpp"

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

struct Scene {
    asio::io_context loop;
    AsyncMutex mutex;
    std::vector<std::string> events;
};

asio::awaitable<void> pass_through(Scene* scene, std::string name, http::Stop* stop, int turns) {
    const auto lock = co_await scene->mutex.acquire(stop);
    scene->events.push_back(name + (lock ? " in" : " stopped"));
    for (int i = 0; i < turns; ++i) co_await asio::post(scene->loop, asio::use_awaitable);
    if (lock) scene->events.push_back(name + " out");
}

void start(Scene& scene, std::string name, http::Stop* stop, int turns = 3) {
    asio::co_spawn(scene.loop, pass_through(&scene, std::move(name), stop, turns), asio::detached);
}

TEST(AsyncMutex, LetsOneThroughAtATimeInOrder) {
    Scene scene;
    http::Stop stop;
    for (const char* name : {"a", "b", "c"}) start(scene, name, &stop);
    scene.loop.run();
    EXPECT_THAT(scene.events, ElementsAre("a in", "a out", "b in", "b out", "c in", "c out"));
}

TEST(AsyncMutex, WhoIsStoppedLeavesTheQueue) {
    Scene scene;
    http::Stop stays, leaves;
    start(scene, "a", &stays, 10);
    start(scene, "b", &leaves);
    start(scene, "c", &stays);
    asio::post(scene.loop, [&] { leaves.request(http::Stop::Reason::client_gone); });
    scene.loop.run();
    EXPECT_THAT(scene.events, ElementsAre("a in", "b stopped", "a out", "c in", "c out"));
}

TEST(AsyncMutex, WhoComesStoppedDoesNotWait) {
    Scene scene;
    http::Stop stays, stopped;
    stopped.request(http::Stop::Reason::client_gone);
    start(scene, "a", &stays);
    start(scene, "b", &stopped);
    scene.loop.run();
    EXPECT_THAT(scene.events, ElementsAre("a in", "b stopped", "a out"));
}

TEST(AsyncMutex, ALockMayOutliveIt) {
    http::Stop stop;
    Scene scene;
    start(scene, "a", &stop, 1'000'000);
    scene.loop.run_one();
    scene.mutex = AsyncMutex();
    scene.loop.run_for(std::chrono::milliseconds(1));  // and what is left goes with the loop
    EXPECT_THAT(scene.events, ElementsAre("a in"));
}

}  // namespace
}  // namespace runnel::tools
