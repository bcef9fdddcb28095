#include "server/admin/admin_access.hpp"

#include "base/redact.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using Headers = std::initializer_list<std::pair<std::string_view, std::string_view>>;

const Sessions::Clock::time_point now{std::chrono::hours(24)};
constexpr std::string_view elsewhere = "192.0.2.1";

http::Request request_with(Headers headers, std::string_view method = "GET") {
    http::Request request;
    request.method = method;
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    return request;
}

int status_of(const Result<AdminBy>& allowed) {
    return allowed ? 200 : shape_of(allowed.error().kind).status;
}

class AdminAccess : public testing::Test {
protected:
    Secret token_{"s3cret"};
    Sessions sessions_;
    Guesses guesses_;

    AdminProof proof() { return {&token_, &sessions_, &guesses_}; }

    Result<AdminBy> asked(Headers headers, std::string_view address = elsewhere,
                          Arrival::Way way = Arrival::Way::plain) {
        const http::Request request = request_with(headers);
        return may_administer({&request, address, way}, proof(), now);
    }
    int status_for(Headers headers, std::string_view address = elsewhere) {
        return status_of(asked(headers, address));
    }
};

// A proxy on this machine asks for the whole internet from there.
TEST_F(AdminAccess, WithoutATokenNoAddressIsEnough) {
    token_ = Secret();
    for (const std::string_view address :
         {"127.0.0.1", "::1", "::ffff:127.0.0.1", "192.0.2.1", ""}) {
        EXPECT_EQ(status_for({}, address), 401) << address;
        EXPECT_EQ(status_for({{"Authorization", "Bearer "}}, address), 401) << address;
        EXPECT_EQ(status_for({{"Authorization", "Bearer x"}}, address), 401) << address;
    }
}

TEST_F(AdminAccess, TheLogHasARefusalInFull) {
    for (const bool has_token : {true, false}) {
        if (!has_token) token_ = Secret();
        const std::string message = asked({}).error().message;
        EXPECT_EQ(redacted(message), message);
    }
}

TEST_F(AdminAccess, TheLocalSocketIsEnough) {
    const auto by = asked({}, "local socket", Arrival::Way::local_socket);
    ASSERT_TRUE(by);
    EXPECT_EQ(*by, AdminBy::local_socket);
    token_ = Secret();
    EXPECT_TRUE(asked({}, "local socket", Arrival::Way::local_socket));
    // Nobody else is let in for calling themselves that.
    EXPECT_FALSE(asked({}, "local socket"));
}

TEST_F(AdminAccess, WithATokenIsForWhoeverHasIt) {
    EXPECT_EQ(status_for({{"Authorization", "Bearer s3cret"}}), 200);
    EXPECT_EQ(status_for({{"authorization", "bearer s3cret"}}), 200);
    EXPECT_EQ(status_for({}, "127.0.0.1"), 401);
    EXPECT_EQ(status_for({{"Authorization", "s3cret"}}, "127.0.0.1"), 401);
    for (const std::string_view wrong :
         {"Bearer ", "Bearer s3cre", "Bearer s3crets", "Bearer S3CRET"})
        EXPECT_EQ(status_for({{"Authorization", wrong}}, "127.0.0.1"), 401) << wrong;
}

TEST_F(AdminAccess, WhoeverGuessesHasToWaitAndNobodyElse) {
    for (int i = 0; i < Guesses::free_guesses; ++i)
        EXPECT_EQ(status_for({{"Authorization", "Bearer wrong"}}), 401);
    const auto guessed = asked({{"Authorization", "Bearer s3cret"}});
    EXPECT_EQ(status_of(guessed), 429) << "also where it is right at last";
    EXPECT_GT(guessed.error().retry_after, std::chrono::milliseconds(0));
    EXPECT_EQ(status_for({{"Authorization", "Bearer s3cret"}}, "192.0.2.2"), 200);
    EXPECT_EQ(status_for({}), 401) << "nothing is guessed";
}

class AdminSession : public AdminAccess {
protected:
    const std::string name_ = sessions_.open(token_, now).value();

    Result<AdminBy> with_cookie(std::string_view cookie, Headers headers, std::string_view method,
                                Arrival::Way way = Arrival::Way::plain) {
        http::Request request = request_with(headers, method);
        request.headers.add("Host", "gateway.test");
        request.headers.add("Cookie", "theme=dark; " + std::string(cookie) + name_ + "; other=1");
        return may_administer({&request, elsewhere, way}, proof(), now);
    }
    Result<AdminBy> in_session(Headers headers, std::string_view method) {
        return with_cookie("runnel_session=", headers, method);
    }
};

TEST_F(AdminSession, StandsForTheTokenOnTheConsolesOwnPage) {
    EXPECT_EQ(*in_session({}, "GET"), AdminBy::session);
    EXPECT_TRUE(in_session({{"Sec-Fetch-Site", "same-origin"}}, "HEAD"));
    EXPECT_TRUE(in_session({{"Sec-Fetch-Site", "none"}}, "GET"));
    for (const std::string_view method : {"POST", "PATCH", "DELETE"}) {
        EXPECT_TRUE(in_session({{"X-Runnel-Console", "1"}}, method));
        EXPECT_TRUE(in_session({{"Origin", "http://gateway.test"}}, method));
        EXPECT_TRUE(in_session({{"Sec-Fetch-Site", "same-origin"}}, method));
    }
}

TEST_F(AdminSession, IsOfNoUseToOtherPages) {
    EXPECT_FALSE(in_session({}, "POST"));
    EXPECT_FALSE(in_session({{"Sec-Fetch-Site", "none"}}, "POST"));
    EXPECT_FALSE(in_session({{"Sec-Fetch-Site", "same-site"}}, "GET"));
    EXPECT_FALSE(in_session({{"Sec-Fetch-Site", "cross-site"}, {"X-Runnel-Console", "1"}}, "POST"));
    for (const std::string_view origin :
         {"http://evil.test", "http://evil-gateway.test", "http://gateway.test:8080", "null",
          "https://gateway.test", "http://gateway.test.evil.test"}) {
        EXPECT_FALSE(in_session({{"Origin", origin}}, "POST")) << origin;
        EXPECT_FALSE(in_session({{"Origin", origin}, {"X-Runnel-Console", "1"}}, "POST")) << origin;
        EXPECT_FALSE(in_session({{"Origin", origin}}, "GET")) << origin;
    }
}

TEST_F(AdminSession, HasANameOfItsOwnUnderTls) {
    EXPECT_TRUE(with_cookie("__Host-runnel_session=", {}, "GET", Arrival::Way::tls));
    EXPECT_TRUE(with_cookie("__Host-runnel_session=", {}, "GET"));
    // That name may have been set by whoever speaks without TLS in the host's name.
    EXPECT_FALSE(with_cookie("runnel_session=", {}, "GET", Arrival::Way::tls));
    EXPECT_FALSE(with_cookie("runnel_session=", {{"X-Forwarded-Proto", "https"}}, "GET"));
}

TEST_F(AdminSession, SaysWhenItIsOver) {
    const std::string cookie = "runnel_session=" + name_;
    const http::Request request = request_with({{"Cookie", cookie}});
    const auto allowed = may_administer({&request, elsewhere}, proof(),
                                        now + Sessions::lifetime + std::chrono::seconds(1));
    ASSERT_FALSE(allowed);
    EXPECT_EQ(allowed.error().kind, ErrorKind::expired_api_key);
}

TEST(SessionOf, FindsTheCookieAmongOthers) {
    const auto in = [](std::string_view cookies) {
        const http::Request request = request_with({{"Cookie", cookies}});
        return std::string(session_of({&request, elsewhere}));
    };
    EXPECT_EQ(in("runnel_session=abc"), "abc");
    EXPECT_EQ(in("a=b; runnel_session=abc; c=d"), "abc");
    EXPECT_EQ(in("runnel_session=abc; __Host-runnel_session=def"), "def");
    EXPECT_EQ(in("runnel_sessions=abc"), "");
    EXPECT_EQ(in("x_runnel_session=abc"), "");
    EXPECT_EQ(in(""), "");
}

}  // namespace
}  // namespace runnel::server
