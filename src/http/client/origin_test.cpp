#include "http/client/origin.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace runnel::http {
namespace {

std::map<std::string, std::string, std::less<>> variables;

const char* lookup(const char* name) {
    const auto found = variables.find(std::string_view(name));
    return found == variables.end() ? nullptr : found->second.c_str();
}

TEST(Origin, KnowsTheSchemesPorts) {
    const auto https = read_origin("https://api.openai.com");
    ASSERT_TRUE(https);
    EXPECT_EQ(https->host, "api.openai.com");
    EXPECT_EQ(https->port, "443");
    EXPECT_EQ(https->host_header, "api.openai.com");
    const auto http = read_origin("http://127.0.0.1:9001");
    ASSERT_TRUE(http);
    EXPECT_EQ(http->port, "9001");
    EXPECT_EQ(http->host_header, "127.0.0.1:9001");
}

TEST(Origin, TakesBracketedAddresses) {
    const auto origin = read_origin("http://[::1]:8080");
    ASSERT_TRUE(origin);
    EXPECT_EQ(origin->host, "::1");
    EXPECT_EQ(origin->port, "8080");
    EXPECT_EQ(origin->host_header, "[::1]:8080");
}

TEST(Origin, RefusesWhatIsNoOrigin) {
    for (const char* bad :
         {"ftp://a", "https://", "https://a:port", "https://a:99999", "http://[::1", "http://me@a",
          "http://a b", "http://a/b", "http://a\r\nX: y", "http://a:"})
        EXPECT_FALSE(read_origin(bad)) << bad;
}

TEST(Proxy, CarriesItsCredentialsAsBasicAuthorization) {
    const auto proxy = read_proxy("http://user:pass@proxy.local:3128/");
    ASSERT_TRUE(proxy);
    EXPECT_EQ(proxy->host, "proxy.local");
    EXPECT_EQ(proxy->port, "3128");
    EXPECT_EQ(proxy->authorization, "Basic dXNlcjpwYXNz");
    EXPECT_EQ(read_proxy("socks5://me:sesame@proxy").error().message,
              "a proxy's URL must begin with http://");
    EXPECT_EQ(read_proxy("http://me:sesame@proxy:x").error().message,
              "'proxy:x' is not host or host:port");
    // As %40 and as it is.
    EXPECT_EQ(read_proxy("http://me:p%40ss@proxy")->authorization, "Basic bWU6cEBzcw==");
    EXPECT_EQ(read_proxy("http://me:p@ss@proxy")->authorization, "Basic bWU6cEBzcw==");
}

TEST(Proxy, FollowsTheEnvironmentAndItsExceptions) {
    variables = {{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", "internal.example, .corp"}};
    const auto uses_proxy = [](const char* url) {
        auto proxy = environment_proxy(*read_origin(url), &lookup);
        return proxy && proxy->has_value();
    };
    EXPECT_TRUE(uses_proxy("https://api.openai.com"));
    EXPECT_FALSE(uses_proxy("http://api.openai.com"));
    EXPECT_FALSE(uses_proxy("https://internal.example"));
    EXPECT_FALSE(uses_proxy("https://a.corp"));
    EXPECT_TRUE(uses_proxy("https://notcorp"));
    EXPECT_FALSE(uses_proxy("https://localhost:8443"));
    variables = {{"https_proxy", "http://p:1"}, {"no_proxy", "*"}};
    EXPECT_FALSE(uses_proxy("https://api.openai.com"));
    variables.clear();
    EXPECT_FALSE(uses_proxy("https://api.openai.com"));
}

}  // namespace
}  // namespace runnel::http
