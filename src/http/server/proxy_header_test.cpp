#include "http/server/proxy_header.hpp"

#include "http/server/trusted_proxies.hpp"

#include <gtest/gtest.h>

#include <string>

namespace runnel::http {
namespace {

const std::string signature("\r\n\r\n\0\r\nQUIT\n", 12);

std::string header(unsigned char command, unsigned char family, const std::string& rest) {
    std::string bytes = signature;
    bytes += static_cast<char>(command);
    bytes += static_cast<char>(family);
    bytes += static_cast<char>(rest.size() >> 8);
    bytes += static_cast<char>(rest.size() & 0xff);
    return bytes + rest;
}

const std::string ipv4_addresses("\xc0\x00\x02\x07\x7f\x00\x00\x01\x12\x34\x1f\x90", 12);
const std::string ipv6_addresses =
    std::string("\x20\x01\x0d\xb8", 4) + std::string(11, '\0') + "\x07" + std::string(20, '\0');

std::string client_in(const std::string& bytes) {
    const auto read = read_proxy_header(bytes);
    if (!read) return read.error().message;
    if (read->wanted > 0) return "wants more";
    return read->client ? text_of(*read->client) : "none";
}

TEST(ProxyHeader, NamesTheClient) {
    EXPECT_EQ(client_in(header(0x21, 0x11, ipv4_addresses)), "192.0.2.7");
    EXPECT_EQ(client_in(header(0x21, 0x21, ipv6_addresses)), "2001:db8::7");
    EXPECT_EQ(client_in(header(0x21, 0x11, ipv4_addresses + "\x04\x00\x03ext")), "192.0.2.7");
}

TEST(ProxyHeader, HasNobodyWhereTheProxySpeaksForItself) {
    EXPECT_EQ(client_in(header(0x20, 0x00, "")), "none");
    EXPECT_EQ(client_in(header(0x20, 0x11, ipv4_addresses)), "none");
    EXPECT_EQ(client_in(header(0x21, 0x00, "whatever")), "none");
}

TEST(ProxyHeader, WantsWhatIsMissingAndNothingBehindItForEverySplit) {
    for (const std::string& whole :
         {header(0x21, 0x11, ipv4_addresses), header(0x21, 0x21, ipv6_addresses),
          header(0x20, 0x00, ""), header(0x21, 0x11, ipv4_addresses + std::string(500, 'x'))})
        for (std::size_t at = 0; at < whole.size(); ++at) {
            const auto read = read_proxy_header(whole.substr(0, at));
            ASSERT_TRUE(read) << "split at " << at;
            EXPECT_GT(read->wanted, 0U) << "split at " << at;
            EXPECT_LE(at + read->wanted, whole.size()) << "split at " << at;
        }
}

TEST(ProxyHeader, RefusesTheFirstByteThatDoesNotBelong) {
    for (std::size_t at = 0; at < signature.size(); ++at) {
        std::string bytes = signature.substr(0, at + 1);
        bytes.back() ^= 1;
        EXPECT_FALSE(read_proxy_header(bytes)) << "byte " << at;
    }
    EXPECT_FALSE(read_proxy_header("GET / HTTP/1.1\r\n"));
    EXPECT_FALSE(read_proxy_header("PROXY TCP4 192.0.2.7 127.0.0.1 4660 8080\r\n"));
}

TEST(ProxyHeader, RefusesWhatItCannotMean) {
    EXPECT_FALSE(read_proxy_header(header(0x11, 0x11, ipv4_addresses)));         // version 1
    EXPECT_FALSE(read_proxy_header(header(0x22, 0x11, ipv4_addresses)));         // another command
    EXPECT_FALSE(read_proxy_header(header(0x21, 0x12, ipv4_addresses)));         // UDP
    EXPECT_FALSE(read_proxy_header(header(0x21, 0x31, std::string(216, 'x'))));  // a Unix socket
    EXPECT_FALSE(read_proxy_header(header(0x21, 0x11, ipv4_addresses.substr(1))));
    EXPECT_FALSE(read_proxy_header(header(0x21, 0x21, ipv6_addresses.substr(1))));
    EXPECT_FALSE(read_proxy_header(header(0x21, 0x11, "")));
    // Seen before the rest of it is read.
    EXPECT_FALSE(read_proxy_header(header(0x21, 0x11, std::string(65535, 'x')).substr(0, 16)));
}

}  // namespace
}  // namespace runnel::http
