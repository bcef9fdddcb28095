#include "server/tickets.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;
using enum Tickets::Good;

const Tickets::Clock::time_point start{};

TEST(Tickets, AreGoodOnce) {
    Tickets tickets;
    const std::string ticket = tickets.make(start).value_or("");
    EXPECT_EQ(ticket.size(), 64U);
    EXPECT_EQ(tickets.use("", start), no);
    EXPECT_EQ(tickets.use(ticket.substr(1), start), no);
    EXPECT_EQ(tickets.use(ticket, start + 10min), yes);
    EXPECT_EQ(tickets.use(ticket, start + 10min), no);
}

TEST(Tickets, EndAfterAWhile) {
    Tickets tickets;
    const std::string ticket = tickets.make(start).value_or("");
    EXPECT_EQ(tickets.use(ticket, start + 10min + 1s), no);
}

TEST(Tickets, AreBoundedInNumber) {
    Tickets tickets;
    const std::string oldest = tickets.make(start).value_or("");
    for (int i = 0; i < 500; ++i) (void)tickets.make(start);
    const std::string newest = tickets.make(start).value_or("");
    EXPECT_EQ(tickets.use(oldest, start), no);
    EXPECT_EQ(tickets.use(newest, start), yes);
}

}  // namespace
}  // namespace runnel::server
