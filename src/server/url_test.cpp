#include "server/url.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

TEST(Url, ResolvesEscapesAndLeavesBrokenOnes) {
    EXPECT_EQ(url_decoded("a%2Fb%20c"), "a/b c");
    EXPECT_EQ(url_decoded("100%"), "100%");
    EXPECT_EQ(url_decoded("%zz%4"), "%zz%4");
}

TEST(Url, FindsAFlagInAQueryWithAValueOrWithout) {
    EXPECT_TRUE(has_flag("verbose", "verbose"));
    EXPECT_TRUE(has_flag("a=1&verbose", "verbose"));
    EXPECT_TRUE(has_flag("verbose=true&a", "verbose"));
    EXPECT_FALSE(has_flag("", "verbose"));
    EXPECT_FALSE(has_flag("verbosely&x=verbose", "verbose"));
}

}  // namespace
}  // namespace runnel::server
