#include "metering/client_network.hpp"

#include <gtest/gtest.h>

namespace runnel::metering {
namespace {

TEST(ClientNetwork, IsAnIpv4AddressItself) {
    EXPECT_EQ(client_network("192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(client_network("::ffff:192.0.2.7"), "192.0.2.7");
}

TEST(ClientNetwork, IsHalfOfAnIpv6Address) {
    EXPECT_EQ(client_network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    EXPECT_EQ(client_network("2001:db8::1"), "2001:db8:0:0::/64");
    EXPECT_EQ(client_network("2001:db8:1:2:3::"), "2001:db8:1:2::/64");
    EXPECT_EQ(client_network("1:2::7:8:9:a:b"), "1:2:0:7::/64");
    EXPECT_EQ(client_network("::1"), "0:0:0:0::/64");
    EXPECT_EQ(client_network("fe80::1%eth0"), "fe80:0:0:0::/64");
}

TEST(ClientNetwork, TakesAnyText) {
    for (const char* text : {"", ":", "::", ":::", "a:b", "::::::::::::", "zz:zz", "1::2::3",
                             "1:2:3:4:5:6:7:8:9:a::1:2:3:4:5:6:7:8:9:a"}) {
        const std::string network = client_network(text);
        EXPECT_TRUE(network == text || network.ends_with("::/64")) << text << ' ' << network;
    }
}

}  // namespace
}  // namespace runnel::metering
