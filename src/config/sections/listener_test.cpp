#include "config/exposure.hpp"
#include "config/sections/sections.hpp"
#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::problem;
using testing::read;

TEST(ConfigListener, IsForThisMachineUnlessKeysAreAskedForOrItIsMeant) {
    for (const char* address : {":80", "*:80", "0.0.0.0:80", "[::]:80", "192.0.2.7:80",
                                "[2001:db8::1]:80", "[::ffff:192.0.2.7]:80", "128.0.0.1:80"}) {
        const std::string listen = "listen: '" + std::string(address) + "'\n";
        EXPECT_THAT(problem(listen), HasSubstr("1:9: listen: with auth.mode open")) << address;
        EXPECT_THAT(problem(listen), HasSubstr("auth: {mode: open, really: true}")) << address;
        EXPECT_EQ(read(listen + "auth: {mode: keys}").listen, address);
        EXPECT_EQ(read(listen + "auth: {mode: header}").listen, address);
        EXPECT_EQ(read(listen + "auth: {mode: open, really: true}").listen, address);
    }
    for (const char* address :
         {"127.0.0.1:80", "127.255.0.1:80", "localhost:80", "[::1]:80", "[::ffff:127.0.0.1]:80"})
        EXPECT_EQ(read("listen: '" + std::string(address) + "'").listen, address);
}

TEST(ConfigListener, SaysNothingAboutThatBesideOtherProblems) {
    EXPECT_THAT(problem("listen: ':80'\nauth: {mode: key}"), HasSubstr("did you mean 'keys'?"));
}

TEST(ConfigListener, MayBeOpenedByTheCommandLine) {
    Config config;
    EXPECT_FALSE(exposure_of(config));
    config.listen = "0.0.0.0:8080";
    EXPECT_THAT(exposure_of(config).value_or(""), HasSubstr("0.0.0.0:8080"));
}

TEST(ConfigListener, TakesClientCertificates) {
    EXPECT_EQ(read("tls: {cert: c.pem, key: k.pem, client_ca: ca.pem}").tls->client_ca, "ca.pem");
    EXPECT_EQ(read("tls: {cert: c.pem, key: k.pem}").tls->client_ca, "");
    EXPECT_THAT(problem("tls: {cert: c.pem, key: k.pem, client_ca: ''}"),
                HasSubstr("tls.client_ca"));
}

TEST(ConfigListener, KnowsProxies) {
    EXPECT_THAT(read("").trusted_proxies, IsEmpty());
    EXPECT_THAT(read("trusted_proxies: [10.0.0.0/8, '::1']").trusted_proxies,
                ElementsAre("10.0.0.0/8", "::1"));
    EXPECT_TRUE(read("trusted_proxies: [10.0.0.1]\nproxy_protocol: true").proxy_protocol);
    EXPECT_FALSE(read("proxy_protocol: false").proxy_protocol);
    EXPECT_THAT(problem("trusted_proxies: [proxy.example.com]"),
                HasSubstr("1:19: trusted_proxies[0] must be an IP address or a range"));
    EXPECT_THAT(problem("proxy_protocol: true"),
                HasSubstr("1:17: proxy_protocol: it needs trusted_proxies"));
}

TEST(ConfigListener, LimitsConnections) {
    EXPECT_EQ(read("").limits.connections, 0U);
    const Limits limits = read("limits: {connections: 100, connections_per_address: 7}").limits;
    EXPECT_EQ(limits.connections, 100U);
    EXPECT_EQ(limits.connections_per_address, 7U);
    EXPECT_THAT(problem("limits: {connections: 0}"), HasSubstr("limits.connections"));
    EXPECT_THAT(problem("limits: {connections_per_address: many}"),
                HasSubstr("limits.connections_per_address"));
}

}  // namespace
}  // namespace runnel::config
