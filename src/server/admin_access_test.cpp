#include "server/admin_access.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using Headers = std::initializer_list<std::pair<std::string_view, std::string_view>>;

const Sessions::Clock::time_point now{};

http::Request request_with(Headers headers, std::string_view method = "GET") {
    http::Request request;
    request.method = method;
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    return request;
}

int status_of(const Result<void>& allowed) {
    return allowed ? 200 : shape_of(allowed.error().kind).status;
}

int status_for(Headers headers, std::string_view address, std::string token = {}) {
    return status_of(
        may_administer(request_with(headers), address, Secret(std::move(token)), Sessions(), now));
}

TEST(AdminAccess, WithoutATokenIsForThisMachine) {
    EXPECT_EQ(status_for({}, "127.0.0.1"), 200);
    EXPECT_EQ(status_for({}, "127.8.9.1"), 200);
    EXPECT_EQ(status_for({}, "::1"), 200);
    EXPECT_EQ(status_for({}, "::ffff:127.0.0.1"), 200);
    EXPECT_EQ(status_for({}, "192.168.1.2"), 403);
    EXPECT_EQ(status_for({}, "::ffff:10.0.0.1"), 403);
    EXPECT_EQ(status_for({}, ""), 403);
}

TEST(AdminAccess, IsNotLentToOthersByAProxyOrABrowserOnThisMachine) {
    EXPECT_EQ(status_for({{"X-Forwarded-For", "8.8.8.8"}}, "127.0.0.1"), 403);
    EXPECT_EQ(status_for({{"Forwarded", "for=8.8.8.8"}}, "127.0.0.1"), 403);
    EXPECT_EQ(status_for({{"Host", "127.0.0.1:8080"}, {"Origin", "https://evil.test"}}, "::1"),
              403);
    EXPECT_EQ(status_for({{"Host", "localhost"}, {"Origin", "https://evil-localhost"}}, "::1"),
              403);
    EXPECT_EQ(status_for({{"Host", "localhost"}, {"Origin", "null"}}, "::1"), 403);
    EXPECT_EQ(status_for({{"Host", "127.0.0.1:8080"}, {"Origin", "http://127.0.0.1:8080"}}, "::1"),
              200);
}

// A page of evil.test, whose name was made to point to this machine.
TEST(AdminAccess, IsNotForNamesThatMayBeAnybodys) {
    EXPECT_EQ(status_for({{"Host", "evil.test:8080"}}, "127.0.0.1"), 403);
    EXPECT_EQ(status_for({{"Host", "evil.test"}, {"Origin", "http://evil.test"}}, "::1"), 403);
    EXPECT_EQ(status_for({{"Host", "notlocalhost"}}, "::1"), 403);
    for (const std::string_view own : {"localhost", "localhost:8080", "a.localhost:1", "127.0.0.1",
                                       "[::1]:8080", "[::1]", "192.168.1.2:80"})
        EXPECT_EQ(status_for({{"Host", own}}, "127.0.0.1"), 200) << own;
}

TEST(AdminAccess, WithATokenIsForWhoeverHasIt) {
    EXPECT_EQ(status_for({{"Authorization", "Bearer s3cret"}}, "192.168.1.2", "s3cret"), 200);
    EXPECT_EQ(status_for({{"authorization", "bearer s3cret"}}, "192.168.1.2", "s3cret"), 200);
    EXPECT_EQ(status_for({}, "127.0.0.1", "s3cret"), 401);
    EXPECT_EQ(status_for({{"Authorization", "s3cret"}}, "127.0.0.1", "s3cret"), 401);
    for (const std::string_view wrong :
         {"Bearer ", "Bearer s3cre", "Bearer s3crets", "Bearer S3CRET"})
        EXPECT_EQ(status_for({{"Authorization", wrong}}, "127.0.0.1", "s3cret"), 401) << wrong;
}

class AdminSession : public testing::Test {
protected:
    const Secret token_{"s3cret"};
    Sessions sessions_;
    const std::string cookie_ =
        "theme=dark; runnel_session=" + sessions_.open(token_, now).value() + "; other=1";

    Result<void> asked(Headers headers, std::string_view method) {
        http::Request request = request_with(headers, method);
        request.headers.add("Host", "gateway.test");
        request.headers.add("Cookie", cookie_);
        return may_administer(request, "192.168.1.2", token_, sessions_, now);
    }
};

TEST_F(AdminSession, StandsForTheTokenOnTheConsolesOwnPage) {
    EXPECT_TRUE(asked({}, "GET"));
    EXPECT_TRUE(asked({{"Sec-Fetch-Site", "same-origin"}}, "HEAD"));
    EXPECT_TRUE(asked({{"Sec-Fetch-Site", "none"}}, "GET"));
    for (const std::string_view method : {"POST", "PATCH", "DELETE"}) {
        EXPECT_TRUE(asked({{"X-Runnel-Console", "1"}}, method));
        EXPECT_TRUE(asked({{"Origin", "https://gateway.test"}}, method));
    }
}

TEST_F(AdminSession, IsOfNoUseToOtherPages) {
    EXPECT_FALSE(asked({}, "POST"));
    EXPECT_FALSE(asked({{"Sec-Fetch-Site", "same-site"}}, "GET"));
    EXPECT_FALSE(asked({{"Sec-Fetch-Site", "cross-site"}, {"X-Runnel-Console", "1"}}, "POST"));
    for (const std::string_view origin :
         {"https://evil.test", "https://evil-gateway.test", "https://gateway.test:8080", "null"}) {
        EXPECT_FALSE(asked({{"Origin", origin}}, "POST")) << origin;
        EXPECT_FALSE(asked({{"Origin", origin}, {"X-Runnel-Console", "1"}}, "POST")) << origin;
        EXPECT_FALSE(asked({{"Origin", origin}}, "GET")) << origin;
    }
}

TEST_F(AdminSession, SaysWhenItIsOver) {
    const http::Request request = request_with({{"Cookie", cookie_}});
    const auto allowed = may_administer(request, "192.168.1.2", token_, sessions_,
                                        now + Sessions::lifetime + std::chrono::seconds(1));
    ASSERT_FALSE(allowed);
    EXPECT_EQ(allowed.error().kind, ErrorKind::expired_api_key);
}

TEST_F(AdminSession, DoesNotLendATokenThatIsWrong) {
    EXPECT_FALSE(may_administer(request_with({{"Authorization", "Bearer wrong"}}), "192.168.1.2",
                                token_, sessions_, now));
}

TEST(SessionOf, FindsTheCookieAmongOthers) {
    const auto in = [](std::string_view cookies) {
        return std::string(session_of(request_with({{"Cookie", cookies}}).headers));
    };
    EXPECT_EQ(in("runnel_session=abc"), "abc");
    EXPECT_EQ(in("a=b; runnel_session=abc; c=d"), "abc");
    EXPECT_EQ(in("runnel_sessions=abc"), "");
    EXPECT_EQ(in("x_runnel_session=abc"), "");
    EXPECT_EQ(in(""), "");
}

}  // namespace
}  // namespace runnel::server
