#include "tools/address_guard.hpp"

#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

bool is_public(const char* address) {
    return is_public_address(boost::asio::ip::make_address(address));
}

TEST(AddressGuard, LetsPublicAddressesThrough) {
    for (const char* address : {"1.1.1.1",
                                "8.8.8.8",
                                "9.255.255.255",
                                "11.0.0.0",
                                "93.184.216.34",
                                "100.63.255.255",
                                "100.128.0.0",
                                "126.255.255.255",
                                "128.0.0.1",
                                "168.63.129.15",
                                "169.253.255.255",
                                "169.255.0.0",
                                "172.15.255.255",
                                "172.32.0.0",
                                "192.0.1.0",
                                "192.167.255.255",
                                "192.169.0.0",
                                "198.17.255.255",
                                "198.20.0.0",
                                "223.255.255.255",
                                "2606:4700:4700::1111",
                                "2a00:1450:4001::200e",
                                "2001:4860:4860::8888",
                                "2003::1",
                                "3ffe::1",
                                "64:ff9b::808:808",
                                "::ffff:8.8.8.8"})
        EXPECT_TRUE(is_public(address)) << address;
}

TEST(AddressGuard, RefusesThisMachineAndTheNetworksAroundIt) {
    for (const char* address : {"0.0.0.0",
                                "0.255.255.255",
                                "10.0.0.1",
                                "10.255.255.255",
                                "100.64.0.1",
                                "100.127.255.255",
                                "127.0.0.1",
                                "127.255.255.255",
                                "169.254.0.1",
                                "172.16.0.1",
                                "172.31.255.255",
                                "192.0.0.1",
                                "192.0.2.1",
                                "192.88.99.1",
                                "192.168.0.1",
                                "192.168.255.255",
                                "198.18.0.1",
                                "198.19.255.255",
                                "198.51.100.1",
                                "203.0.113.1",
                                "224.0.0.1",
                                "239.255.255.255",
                                "240.0.0.1",
                                "255.255.255.255",
                                "::",
                                "::1",
                                "fe80::1",
                                "febf::1",
                                "fec0::1",
                                "fc00::1",
                                "fdff::1",
                                "ff02::1",
                                "100::1",
                                "2001:db8::1",
                                "3fff::1",
                                "4000::1",
                                "5f00::1"})
        EXPECT_FALSE(is_public(address)) << address;
}

TEST(AddressGuard, RefusesMetadataServices) {
    for (const char* address : {"169.254.169.254", "169.254.170.2", "100.100.100.200",
                                "168.63.129.16", "192.0.0.192", "fd00:ec2::254"})
        EXPECT_FALSE(is_public(address)) << address;
}

TEST(AddressGuard, LooksThroughTheFormsInWhichIpv6WrapsAnAddress) {
    for (const char* address : {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
                                "::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1",
                                "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "2002:7f00:1::",
                                "2002:808:808::", "2001:0:7f00:1::", "2001:10::1", "2001:1ff::1"})
        EXPECT_FALSE(is_public(address)) << address;
}

}  // namespace
}  // namespace runnel::tools
