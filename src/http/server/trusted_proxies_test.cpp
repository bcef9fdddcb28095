#include "http/server/trusted_proxies.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace runnel::http {
namespace {

using runnel::read_address_range;

const TrustedProxies proxies({*read_address_range("10.0.0.0/8"), *read_address_range("fd00::/8")});

struct Header {
    std::string_view name;
    std::string_view value;
};

std::string client_of(std::string_view peer, std::initializer_list<Header> fields) {
    HeaderList headers;
    for (const Header& field : fields) headers.add(field.name, field.value);
    return text_of(proxies.client_of(*runnel::read_address(peer), headers));
}

std::string forwarded_for(std::string_view value) {
    return client_of("10.0.0.1", {{"X-Forwarded-For", value}});
}

TEST(TrustedProxies, BelieveNobodyElse) {
    EXPECT_EQ(client_of("192.0.2.7", {{"X-Forwarded-For", "198.51.100.1"}}), "192.0.2.7");
    EXPECT_EQ(client_of("2001:db8::7", {{"Forwarded", "for=198.51.100.1"}}), "2001:db8::7");
    EXPECT_EQ(client_of("10.0.0.1", {}), "10.0.0.1");
}

TEST(TrustedProxies, AreSkippedFromTheRight) {
    EXPECT_EQ(forwarded_for("192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(forwarded_for("192.0.2.7, 10.1.2.3"), "192.0.2.7");
    EXPECT_EQ(forwarded_for("127.0.0.1, 192.0.2.7,10.1.2.3 , 10.0.0.9"), "192.0.2.7");
    EXPECT_EQ(forwarded_for("10.9.9.9, 10.1.2.3"), "10.9.9.9");
    EXPECT_EQ(client_of("fd00::1", {{"X-Forwarded-For", "2001:db8::7"}}), "2001:db8::7");
    EXPECT_EQ(client_of("::ffff:10.0.0.1", {{"X-Forwarded-For", "192.0.2.7"}}), "192.0.2.7");
}

TEST(TrustedProxies, MayAddLinesOfTheirOwn) {
    EXPECT_EQ(client_of("10.0.0.1", {{"X-Forwarded-For", "198.51.100.1"},
                                     {"Accept", "*/*"},
                                     {"x-forwarded-for", "192.0.2.7, 10.0.0.3"}}),
              "192.0.2.7");
    EXPECT_EQ(
        client_of("10.0.0.1", {{"X-Forwarded-For", "192.0.2.7"}, {"x-forwarded-for", "10.0.0.3"}}),
        "192.0.2.7");
}

TEST(TrustedProxies, MayWriteAPort) {
    EXPECT_EQ(forwarded_for("192.0.2.7:4711"), "192.0.2.7");
    EXPECT_EQ(forwarded_for("[2001:db8::7]:4711"), "2001:db8::7");
    EXPECT_EQ(forwarded_for("[2001:db8::7]"), "2001:db8::7");
    EXPECT_EQ(forwarded_for("::ffff:192.0.2.7"), "192.0.2.7");
}

TEST(TrustedProxies, StopAtWhatCannotBeRead) {
    for (const std::string_view bad :
         {"", " ", "unknown", "192.0.2", "192.0.2.7.8", "192.0.2.07", "192.0.2.7:", "192.0.2.7:x",
          "192.0.2.7:123456", "[2001:db8::7", "[192.0.2.7]", "[2001:db8::7]x", "2001:db8::7%eth0",
          "a\0b", "192.0.2.7 198.51.100.1", "'192.0.2.7'", "<script>", "-1", "::::"}) {
        EXPECT_EQ(forwarded_for(bad), "10.0.0.1") << bad;
        EXPECT_EQ(forwarded_for(std::string("192.0.2.7, ") + std::string(bad) + ", 10.0.0.2"),
                  "10.0.0.2")
            << bad;
    }
}

TEST(TrustedProxies, LookAtSoManyHopsAndNoMore) {
    std::string list = "192.0.2.7";
    for (int i = 0; i < 10'000; ++i) list += ", 10.0.0.2";
    EXPECT_EQ(forwarded_for(list), "10.0.0.2");
}

TEST(TrustedProxies, UnderstandForwarded) {
    const auto forwarded = [](std::string_view value) {
        return client_of("10.0.0.1", {{"Forwarded", value}});
    };
    EXPECT_EQ(forwarded("for=192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(forwarded("for=198.51.100.1, proto=https;For=192.0.2.7;by=10.0.0.1"), "192.0.2.7");
    EXPECT_EQ(forwarded("for=\"[2001:db8::7]:4711\""), "2001:db8::7");
    EXPECT_EQ(forwarded("for=192.0.2.7, for=10.0.0.9"), "192.0.2.7");
    for (const std::string_view bad : {"for=unknown", "for=_hidden", "proto=https", "for=", "for",
                                       "for=192.0.2.7;for=198.51.100.1", "for=\"192.0.2.7"})
        EXPECT_EQ(forwarded(bad), "10.0.0.1") << bad;
}

TEST(TrustedProxies, CountTheListThatNearlyAllOfThemWrite) {
    EXPECT_EQ(
        client_of("10.0.0.1", {{"Forwarded", "for=127.0.0.1"}, {"X-Forwarded-For", "192.0.2.7"}}),
        "192.0.2.7");
}

TEST(TrustedProxies, GiveAddressesTheirUsualForm) {
    EXPECT_EQ(text_of(bytes_of(boost::asio::ip::make_address("192.0.2.7"))), "192.0.2.7");
    EXPECT_EQ(text_of(bytes_of(boost::asio::ip::make_address("::ffff:192.0.2.7"))), "192.0.2.7");
    EXPECT_EQ(text_of(bytes_of(boost::asio::ip::make_address("2001:db8::7"))), "2001:db8::7");
}

}  // namespace
}  // namespace runnel::http
