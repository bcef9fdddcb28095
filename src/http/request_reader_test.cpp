#include "http/request_reader.hpp"

#include <gtest/gtest.h>

namespace runnel::http {
namespace {

constexpr RequestReader::Limits roomy{32 * 1024, 1024 * 1024};

// Feeds `wire` in pieces of `step` bytes, as a connection does: what the reader did not take is
// shown again.
Result<void> feed_in_steps(RequestReader& reader, std::string_view wire, std::size_t step) {
    std::string pending;
    for (std::size_t at = 0; at < wire.size() && !reader.done(); at += step) {
        pending += wire.substr(at, step);
        auto taken = reader.feed(pending);
        if (!taken) return propagate(taken);
        pending.erase(0, *taken);
    }
    return {};
}

TEST(RequestReader, ReadsTheSameRequestForEveryStep) {
    constexpr std::string_view wire =
        "POST /v1/x?y=1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        "Content-Length: 7\r\n\r\n{\"a\":1}";
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        RequestReader reader(roomy);
        ASSERT_TRUE(feed_in_steps(reader, wire, step)) << "step " << step;
        ASSERT_TRUE(reader.done()) << "step " << step;
        const Request request = reader.take();
        EXPECT_EQ(request.method, "POST");
        EXPECT_EQ(request.path(), "/v1/x");
        EXPECT_EQ(request.query(), "y=1");
        EXPECT_EQ(request.headers.get("content-type"), "application/json");
        EXPECT_EQ(request.body, R"({"a":1})");
        EXPECT_EQ(request.keep_alive, Request::KeepAlive::yes);
    }
}

TEST(RequestReader, JoinsTheChunksOfABody) {
    RequestReader reader(roomy);
    ASSERT_TRUE(feed_in_steps(reader,
                              "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n",
                              5));
    ASSERT_TRUE(reader.done());
    EXPECT_EQ(reader.take().body, "abcde");
}

TEST(RequestReader, LeavesThePipelinedRequestForTheNextTurn) {
    constexpr std::string_view one = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    constexpr std::string_view two = "GET /b HTTP/1.1\r\nHost: a\r\n\r\n";
    RequestReader reader(roomy);
    auto taken = reader.feed(std::string(one) + std::string(two));
    ASSERT_TRUE(taken);
    EXPECT_EQ(*taken, one.size());
    EXPECT_EQ(reader.take().target, "/a");
    taken = reader.feed(two);
    ASSERT_TRUE(taken);
    EXPECT_EQ(reader.take().target, "/b");
}

TEST(RequestReader, SaysWhenTheClientWaitsForLeaveToSendItsBody) {
    RequestReader reader(roomy);
    ASSERT_TRUE(reader.feed(
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
    EXPECT_TRUE(reader.wants_continue());
    reader.acknowledge_continue();
    EXPECT_FALSE(reader.wants_continue());
    ASSERT_TRUE(reader.feed("{}"));
    EXPECT_TRUE(reader.done());
}

TEST(RequestReader, RefusesABodyPastItsLimitAsSoonAsItsLengthIsKnown) {
    RequestReader reader({1024, 10});
    auto taken = reader.feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().kind, ErrorKind::request_too_large);
}

TEST(RequestReader, RefusesHeaderFieldsPastTheirLimit) {
    RequestReader reader({1024, 10});
    auto taken = reader.feed("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'x'));
    if (taken) taken = reader.feed("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(4000, 'x'));
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().kind, ErrorKind::headers_too_large);
}

TEST(RequestReader, SaysWhatIsNotHttp) {
    RequestReader reader(roomy);
    auto taken = reader.feed("hello there\r\n\r\n");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().kind, ErrorKind::invalid_value);
}

TEST(RequestReader, HandsOutWhatItHasReadOfARequestThatFailed) {
    RequestReader reader({1024, 10});
    EXPECT_EQ(reader.take().method, "");
    const std::string head = "POST /x HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine\r\n";
    ASSERT_FALSE(reader.feed(head + "Content-Length: 11\r\n\r\n"));
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
