#include "http/server/request_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace runnel::http {
namespace {

using testing::HasSubstr;

constexpr std::size_t roomy = 32 * 1024;

// Feeds `wire` in pieces of `step` bytes and says how many were taken.
Result<std::size_t> feed_in_steps(RequestReader& reader, std::string_view wire, std::size_t step) {
    std::size_t all = 0;
    for (std::size_t at = 0; at < wire.size() && !reader.done(); at += step) {
        auto taken = reader.feed(wire.substr(at, step));
        if (!taken) return taken;
        all += *taken;
    }
    return all;
}

std::string problem_of(std::string_view wire) {
    RequestReader reader(roomy);
    const auto whole = reader.feed(wire);
    for (std::size_t step = 1; step < wire.size(); ++step) {
        RequestReader in_steps(roomy);
        const auto taken = feed_in_steps(in_steps, wire, step);
        EXPECT_EQ(whole ? "" : whole.error().message, taken ? "" : taken.error().message)
            << wire << " in steps of " << step;
    }
    if (!whole) EXPECT_EQ(whole.error().kind, ErrorKind::invalid_value);
    return whole ? "" : whole.error().message;
}

TEST(RequestReader, ReadsTheSameHeadForEveryStep) {
    constexpr std::string_view head =
        "POST /v1/x?y=1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        "X-Empty:\r\nX-Space: \t a b \r\nContent-Length: 7\r\n\r\n";
    const std::string wire = std::string(head) + R"({"a":1})";
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        RequestReader reader(roomy);
        const auto taken = feed_in_steps(reader, wire, step);
        ASSERT_TRUE(taken) << "step " << step;
        EXPECT_EQ(*taken, head.size()) << "step " << step;
        ASSERT_TRUE(reader.done()) << "step " << step;
        const Request request = reader.take();
        EXPECT_EQ(request.method, "POST");
        EXPECT_EQ(request.path(), "/v1/x");
        EXPECT_EQ(request.query(), "y=1");
        EXPECT_EQ(request.headers.get("content-type"), "application/json");
        EXPECT_TRUE(request.headers.has("X-Empty"));
        EXPECT_EQ(request.headers.get("X-Space"), "a b");
        EXPECT_EQ(request.framing.kind, Framing::Kind::length);
        EXPECT_EQ(request.framing.length, 7U);
        EXPECT_EQ(request.keep_alive, Request::KeepAlive::yes);
    }
}

TEST(RequestReader, LeavesThePipelinedRequestForTheNextTurn) {
    constexpr std::string_view one = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    constexpr std::string_view two = "\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n";
    RequestReader reader(roomy);
    auto taken = reader.feed(std::string(one) + std::string(two));
    ASSERT_TRUE(taken);
    EXPECT_EQ(*taken, one.size());
    EXPECT_EQ(reader.take().target, "/a");
    EXPECT_FALSE(reader.started());
    taken = reader.feed(two);
    ASSERT_TRUE(taken);
    EXPECT_EQ(reader.take().target, "/b");
}

TEST(RequestReader, KnowsWhetherTheConnectionStays) {
    using KeepAlive = Request::KeepAlive;
    const auto stays = [](std::string_view version, std::string_view fields) {
        RequestReader reader(roomy);
        EXPECT_TRUE(reader.feed("GET / " + std::string(version) + "\r\nHost: a\r\n" +
                                std::string(fields) + "\r\n"));
        return reader.take().keep_alive;
    };
    EXPECT_EQ(stays("HTTP/1.1", ""), KeepAlive::yes);
    EXPECT_EQ(stays("HTTP/1.1", "Connection: x, Close\r\n"), KeepAlive::no);
    EXPECT_EQ(stays("HTTP/1.0", ""), KeepAlive::no);
    EXPECT_EQ(stays("HTTP/1.0", "Connection: Keep-Alive\r\n"), KeepAlive::yes);
    EXPECT_EQ(stays("HTTP/1.0", "Connection: keep-alive, close\r\n"), KeepAlive::no);
}

TEST(RequestReader, SaysWhenTheClientWaitsForLeaveToSendItsBody) {
    RequestReader reader(roomy);
    ASSERT_TRUE(reader.feed(
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"));
    EXPECT_EQ(reader.take().expects, Request::Expects::leave_to_send);
}

TEST(RequestReader, RefusesAHeadPastItsLimitHoweverItIsCut) {
    std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
    while (many.size() < 2000) many += "X: y\r\n";
    for (const std::string& wire :
         {many, "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'x'),
          "GET /" + std::string(2000, 'x'), std::string(2000, 'x')}) {
        for (const std::size_t step : {std::size_t{1}, std::size_t{7}, wire.size()}) {
            RequestReader reader(1024);
            const auto taken = feed_in_steps(reader, wire, step);
            ASSERT_FALSE(taken) << step;
            EXPECT_EQ(taken.error().kind, ErrorKind::headers_too_large);
        }
    }
}

TEST(RequestReader, SaysWhatIsNotHttp) {
    for (const std::string_view wire :
         {"hello there\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
          "GET / HTTP/1.1 \r\n\r\n", " GET / HTTP/1.1\r\n\r\n", "G(T / HTTP/1.1\r\n\r\n",
          "GET /\x01 HTTP/1.1\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\n\n",
          "GET / HTTP/1.1\r\nHost: a\n\r\n"})
        EXPECT_NE(problem_of(wire), "") << wire;
}

// What a proxy before the gateway might read another way.
TEST(RequestReader, RefusesEveryDoubtAboutWhereABodyEnds) {
    const auto with = [](std::string_view fields, std::string_view version = "HTTP/1.1") {
        return problem_of("POST / " + std::string(version) + "\r\nHost: a\r\n" +
                          std::string(fields) + "\r\n");
    };
    EXPECT_EQ(with("Transfer-Encoding: chunked\r\n"), "");
    EXPECT_EQ(with("Transfer-Encoding: Chunked\r\n"), "");
    EXPECT_EQ(with("Content-Length: 0\r\n"), "");
    for (const std::string_view coding :
         {"xchunked", "identity", "gzip, chunked", "chunked, chunked", "chunked, identity", "",
          "chunked;a=b", "\"chunked\"", "chunke", "x"})
        EXPECT_THAT(with("Transfer-Encoding: " + std::string(coding) + "\r\n"),
                    HasSubstr("must be chunked"))
            << coding;
    EXPECT_THAT(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
                HasSubstr("must be chunked"));
    EXPECT_THAT(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n"),
                HasSubstr("must be chunked"));
    EXPECT_THAT(with("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"), HasSubstr("both"));
    EXPECT_THAT(with("Content-Length: 3\r\nTransfer-Encoding: x\r\n"), HasSubstr("both"));
    EXPECT_THAT(with("Transfer-Encoding: chunked\r\n", "HTTP/1.0"), HasSubstr("HTTP/1.0"));
    for (const std::string_view length :
         {"-1", "+1", "1 2", "1,1", "0x1", "", "1a", "99999999999999999999", "1.0"})
        EXPECT_THAT(with("Content-Length: " + std::string(length) + "\r\n"),
                    HasSubstr("Content-Length"))
            << length;
    EXPECT_THAT(with("Content-Length: 3\r\nContent-Length: 3\r\n"), HasSubstr("more than one"));
    EXPECT_THAT(with("Content-Length: 3\r\ncontent-length: 4\r\n"), HasSubstr("more than one"));
}

TEST(RequestReader, WantsOneAuthorizationAtMost) {
    const std::string one = "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n";
    EXPECT_EQ(problem_of(one + "\r\n"), "");
    EXPECT_THAT(problem_of(one + "authorization: Bearer b\r\n\r\n"), HasSubstr("more than one"));
}

TEST(RequestReader, WantsOneHost) {
    EXPECT_THAT(problem_of("GET / HTTP/1.1\r\n\r\n"), HasSubstr("one Host"));
    EXPECT_EQ(problem_of("GET / HTTP/1.0\r\n\r\n"), "");
    EXPECT_THAT(problem_of("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"), HasSubstr("one Host"));
    for (const std::string_view host : {"a b", "a/b", "a@b", "a\"b", "<a>", "a\\b", "\xC3\xA9"})
        EXPECT_THAT(problem_of("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"),
                    HasSubstr("Host has a character"))
            << host;
    for (const std::string_view host : {"a", "a.b:8080", "[::1]:80", "127.0.0.1", "[fe80::1%25x]"})
        EXPECT_EQ(problem_of("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), "")
            << host;
}

TEST(RequestReader, RefusesFieldsThatAreNoFields) {
    using namespace std::string_view_literals;
    for (const std::string_view field :
         {"X : y"sv, "X\t: y"sv, " X: y"sv, "\tX: y"sv, ": y"sv, "no colon"sv, "X: a\rb"sv,
          "X: a\0b"sv, "X: a\x01"sv, "X: a\x7F"sv, "X\0: a"sv, "X\xC3: a"sv, "X(: a"sv, "\r: a"sv})
        EXPECT_NE(problem_of("GET / HTTP/1.1\r\nHost: a\r\n" + std::string(field) + "\r\n\r\n"), "")
            << field;
    EXPECT_EQ(problem_of("GET / HTTP/1.1\r\nHost: a\r\nX: a\tb\xC3\xA9\r\n\r\n"), "");
}

TEST(RequestReader, HandsOutWhatItHasReadOfARequestThatFailed) {
    RequestReader reader(1024);
    EXPECT_EQ(reader.take().method, "");
    const std::string head = "POST /x HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine\r\n";
    ASSERT_FALSE(reader.feed(head + "Content-Length: x\r\n\r\n"));
    const Request whole_head = reader.take();
    EXPECT_EQ(whole_head.target, "/x");
    EXPECT_EQ(whole_head.headers.get("x-request-id"), "mine");

    ASSERT_FALSE(reader.feed(head + ": no name\r\n\r\n"));
    const Request part = reader.take();
    EXPECT_EQ(part.headers.get("X-Request-ID"), "mine");
    EXPECT_EQ(part.keep_alive, Request::KeepAlive::no);
}

}  // namespace
}  // namespace runnel::http
