#include "server/arrival.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using Headers = std::initializer_list<std::pair<std::string_view, std::string_view>>;
using Names = std::vector<std::string>;

int status_of(Headers headers, const Names& origins = {}, const Names& hosts = {}) {
    http::Request request;
    request.method = "POST";
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    const auto may = may_ask_unproven({&request, "127.0.0.1"}, {&origins, &hosts});
    return may ? 200 : shape_of(may.error().kind).status;
}

TEST(AskingUnproven, IsForProgramsOnThisMachine) {
    EXPECT_EQ(status_of({}), 200);
    for (const std::string_view own : {"localhost", "localhost:8080", "a.localhost:1", "127.0.0.1",
                                       "[::1]:8080", "[::1]", "192.168.1.2:80", "LOCALHOST:80"})
        EXPECT_EQ(status_of({{"Host", own}}), 200) << own;
}

// A page of evil.test, whose name was made to point to this machine.
TEST(AskingUnproven, IsNotForNamesThatMayBeAnybodys) {
    for (const std::string_view name :
         {"evil.test", "evil.test:8080", "notlocalhost", "localhost.evil.test",
          "127.0.0.1.evil.test", "127.0.0.1:evil.test", "[::1]evil.test", "[", "[::1",
          "localhost:80:evil.test"})
        EXPECT_EQ(status_of({{"Host", name}}), 403) << name;
    EXPECT_EQ(status_of({{"Host", "evil.test"}, {"Origin", "http://evil.test"}}), 403);
    EXPECT_EQ(status_of({{"Host", "Gateway.internal:80"}}, {}, {"gateway.internal"}), 200);
    EXPECT_EQ(status_of({{"Host", "x.gateway.internal"}}, {}, {"gateway.internal"}), 403);
}

TEST(AskingUnproven, IsForPagesThatTheConfigNames) {
    const auto from = [](std::string_view origin, const Names& origins) {
        return status_of({{"Host", "127.0.0.1:8080"}, {"Origin", origin}}, origins);
    };
    EXPECT_EQ(from("http://127.0.0.1:8080", {}), 200) << "its own";
    const Names allowed{"https://example.com"};
    EXPECT_EQ(from("https://example.com", allowed), 200);
    EXPECT_EQ(from("null", {"null"}), 200);
    EXPECT_EQ(from("https://anybody.test", {"*"}), 200);
    for (const std::string_view origin :
         {"https://evil.test", "https://evil-example.com", "https://example.com.evil.test",
          "http://example.com", "https://example.com:8443", "https://127.0.0.1:8080",
          "http://127.0.0.1", "null", ""})
        EXPECT_EQ(from(origin, allowed), 403) << origin;
}

TEST(AskingUnproven, IsNotForRequestsThatABrowserSendsWithoutAnOrigin) {
    EXPECT_EQ(status_of({{"Sec-Fetch-Site", "cross-site"}}), 403);
    EXPECT_EQ(status_of({{"Sec-Fetch-Site", "same-site"}}), 403);
    EXPECT_EQ(status_of({{"Sec-Fetch-Site", "none"}}), 200);
    EXPECT_EQ(status_of({{"Sec-Fetch-Site", "cross-site"}}, {"*"}), 200);
}

}  // namespace
}  // namespace runnel::server
