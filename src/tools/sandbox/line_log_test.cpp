#include "tools/sandbox/line_log.hpp"

#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

TEST(LineLog, RemembersTheLastLineThatSaysAnything) {
    LineLog log;
    const LineLog::Time now{};
    log.add("first\nsec", "x", now);
    EXPECT_EQ(log.last_line(), "first");
    log.add("ond\r\n  \n\n", "x", now);
    EXPECT_EQ(log.last_line(), "second");
}

TEST(LineLog, ShowsLinesCutAndWithoutSecrets) {
    EXPECT_EQ(LineLog::shown(std::string(10'000, 'a')), std::string(500, 'a'));
    EXPECT_EQ(LineLog::shown("key sk-abcdef0123456789abcdef0123456789"), "key sk-***");
    EXPECT_EQ(LineLog::shown("a\xff"), "a\xEF\xBF\xBD");
    LineLog log;
    for (int i = 0; i < 100; ++i) log.add(std::string(1000, 'b'), "x", {});
    log.add("\n", "x", {});
    EXPECT_EQ(log.last_line(), std::string(500, 'b'));
}

}  // namespace
}  // namespace runnel::tools
