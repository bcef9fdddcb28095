#include "server/sessions.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;

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

}  // namespace
}  // namespace runnel::server
