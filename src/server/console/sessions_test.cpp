#include "server/console/sessions.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;
using enum Tickets::Good;

const Sessions::Clock::time_point start{};
const Secret token("s3cret");

std::string opened(Sessions& sessions) { return sessions.open(token, start).value_or(""); }

TEST(Sessions, AreOpenUntilTheirTimeIsOver) {
    Sessions sessions;
    const std::string name = opened(sessions);
    EXPECT_TRUE(sessions.is_open(name, token, start));
    EXPECT_TRUE(sessions.is_open(name, token, start + 12h));
    EXPECT_FALSE(sessions.is_open(name, token, start + 12h + 1s));
}

TEST(Sessions, HaveNamesThatNobodyCanGuess) {
    Sessions sessions;
    const std::string one = opened(sessions);
    const std::string other = opened(sessions);
    EXPECT_NE(one, other);
    EXPECT_EQ(one.size(), 64U);
    for (const std::string& wrong : {std::string(), one.substr(1), one + "0", std::string(64, '0')})
        EXPECT_FALSE(sessions.is_open(wrong, token, start)) << wrong;
}

TEST(Sessions, EndWithTheTokenThatOpenedThem) {
    Sessions sessions;
    const std::string name = opened(sessions);
    EXPECT_FALSE(sessions.is_open(name, Secret("another"), start));
    EXPECT_FALSE(sessions.is_open(name, Secret(), start));
    const std::string by_link = sessions.open(Secret(), start).value_or("");
    EXPECT_TRUE(sessions.is_open(by_link, Secret(), start));
    EXPECT_FALSE(sessions.is_open(by_link, token, start)) << "there is a token at last";
}

TEST(Sessions, EndWhenTheyAreClosed) {
    Sessions sessions;
    const std::string name = opened(sessions);
    const std::string other = opened(sessions);
    sessions.close(name);
    sessions.close("never there");
    EXPECT_FALSE(sessions.is_open(name, token, start));
    EXPECT_TRUE(sessions.is_open(other, token, start));
}

TEST(Sessions, AreBoundedInNumber) {
    Sessions sessions;
    const std::string oldest = opened(sessions);
    for (int i = 0; i < 3000; ++i) (void)opened(sessions);
    EXPECT_FALSE(sessions.is_open(oldest, token, start));
}

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
