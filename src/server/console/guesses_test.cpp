#include "server/console/guesses.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;

const Guesses::Clock::time_point start{24h};

void be_wrong(Guesses& guesses, std::string_view address, int times,
              Guesses::Clock::time_point at = start) {
    for (int i = 0; i < times; ++i) guesses.was_wrong(address, at);
}

TEST(Guesses, AFewAreFreeThenTheyWait) {
    Guesses guesses;
    be_wrong(guesses, "192.0.2.1", Guesses::free_guesses - 1);
    EXPECT_EQ(guesses.wait_of("192.0.2.1", start), 0ms);
    guesses.was_wrong("192.0.2.1", start);
    EXPECT_EQ(guesses.wait_of("192.0.2.1", start), 10s);
    EXPECT_EQ(guesses.wait_of("192.0.2.1", start + 9400ms), 600ms);
    EXPECT_EQ(guesses.wait_of("192.0.2.1", start + 10s), 0ms);
    guesses.was_wrong("192.0.2.1", start + 10s);
    EXPECT_EQ(guesses.wait_of("192.0.2.1", start + 10s), 20s);
    be_wrong(guesses, "192.0.2.1", 1000, start + 20s);
    EXPECT_EQ(guesses.wait_of("192.0.2.1", start + 20s), 5min);
}

TEST(Guesses, ConcernNobodyElse) {
    Guesses guesses;
    be_wrong(guesses, "192.0.2.1", 20);
    EXPECT_EQ(guesses.wait_of("192.0.2.2", start), 0ms);
    be_wrong(guesses, "2001:db8::1", 20);
    EXPECT_GT(guesses.wait_of("2001:db8::2", start), 0ms) << "whoever has one has both";
    EXPECT_EQ(guesses.wait_of("2001:db8:1::1", start), 0ms);
}

TEST(Guesses, AreForgotten) {
    Guesses guesses;
    be_wrong(guesses, "192.0.2.1", 20);
    guesses.was_wrong("192.0.2.1", start + 30min + 1s);
    EXPECT_EQ(guesses.wait_of("192.0.2.1", start + 30min + 1s), 0ms);
    be_wrong(guesses, "192.0.2.1", 20);
    guesses.was_right("192.0.2.1");
    EXPECT_EQ(guesses.wait_of("192.0.2.1", start), 0ms);
}

TEST(Guesses, AreBoundedInNumber) {
    Guesses guesses;
    be_wrong(guesses, "192.0.2.1", 20);
    for (std::size_t i = 0; i < Guesses::addresses_max; ++i)
        guesses.was_wrong("10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256), start);
    EXPECT_EQ(guesses.wait_of("192.0.2.1", start), 0ms);
}

}  // namespace
}  // namespace runnel::server
