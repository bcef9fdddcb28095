#include "base/web_origin.hpp"

#include <gtest/gtest.h>

namespace runnel {
namespace {

TEST(WebOrigin, IsWrittenAsBrowsersDo) {
    EXPECT_EQ(web_origin("https://app.example.com"), "https://app.example.com");
    EXPECT_EQ(web_origin("HTTPS://App.Example.com:443"), "https://app.example.com");
    EXPECT_EQ(web_origin("http://localhost:80"), "http://localhost");
    EXPECT_EQ(web_origin("http://[::1]:80"), "http://[::1]");
    EXPECT_EQ(web_origin("null"), "null");
}

TEST(WebOrigin, KeepsEveryPortThatTellsTwoApart) {
    for (const char* origin : {"https://app.example.com:80", "http://app.example.com:443",
                               "http://localhost:8080", "http://[::80]", "ftp://a:80", ""})
        EXPECT_EQ(web_origin(origin), origin);
}

}  // namespace
}  // namespace runnel
