#include "server/url.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

TEST(Url, FindsAFlagInAQueryWithAValueOrWithout) {
    EXPECT_TRUE(has_flag("verbose", "verbose"));
    EXPECT_TRUE(has_flag("a=1&verbose", "verbose"));
    EXPECT_TRUE(has_flag("verbose=true&a", "verbose"));
    EXPECT_FALSE(has_flag("", "verbose"));
    EXPECT_FALSE(has_flag("verbosely&x=verbose", "verbose"));
}

TEST(Url, APathUnderApiIsThePlainOne) {
    EXPECT_EQ(plain_path("/api/v1/models"), "/v1/models");
    EXPECT_EQ(plain_path("/v1/models"), "/v1/models");
    EXPECT_EQ(plain_path("/api/health"), "/api/health");
}

TEST(Url, AQueryHasFields) {
    using Fields = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(query_fields("a=1&b=x%26y&&c&d=&a=2=3"),
              (Fields{{"a", "1"}, {"b", "x&y"}, {"c", ""}, {"d", ""}, {"a", "2=3"}}));
    EXPECT_EQ(query_fields("team=two+words&plus=%2B"),
              (Fields{{"team", "two words"}, {"plus", "+"}}));
    EXPECT_TRUE(query_fields("").empty());
}

}  // namespace
}  // namespace runnel::server
