#include "http/client/response_reader.hpp"

#include "base/limits.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::http {
namespace {

class Collect final : public ResponseHandler {
public:
    void on_head(const ResponseHead& head) override {
        status = head.status;
        type = head.headers.get("content-type");
    }
    void on_body(Padded bytes) override { body += bytes.text(); }

    int status = 0;
    std::string type;
    std::string body;
};

Result<void> feed_in_steps(ResponseReader& reader, std::string_view wire, std::size_t step,
                           ResponseHandler* handler) {
    for (std::size_t at = 0; at < wire.size(); at += step) {
        std::string piece(wire.substr(at, step));
        if (auto fed = reader.feed(Padded::of(piece), handler); !fed) return fed;
    }
    return {};
}

TEST(ResponseReader, JoinsChunksWhateverTheReads) {
    constexpr std::string_view wire =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        "6\r\ndata: \r\n7\r\n{\"a\":1}\r\n2\r\n\n\n\r\n0\r\n\r\n";
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        ResponseReader reader;
        Collect got;
        ASSERT_TRUE(feed_in_steps(reader, wire, step, &got)) << "step " << step;
        EXPECT_TRUE(reader.done()) << "step " << step;
        EXPECT_TRUE(reader.reusable());
        EXPECT_EQ(got.status, 200);
        EXPECT_EQ(got.type, "text/event-stream");
        EXPECT_EQ(got.body, "data: {\"a\":1}\n\n") << "step " << step;
    }
}

TEST(ResponseReader, SkipsInterimResponses) {
    ResponseReader reader;
    Collect got;
    ASSERT_TRUE(
        feed_in_steps(reader,
                      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                      "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok",
                      3, &got));
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(got.body, "ok");
    EXPECT_TRUE(reader.done());
}

TEST(ResponseReader, TakesTheConnectionsEndForABodyThatHasNoOther) {
    ResponseReader reader;
    Collect got;
    ASSERT_TRUE(feed_in_steps(reader, "HTTP/1.1 200 OK\r\n\r\nabc", 100, &got));
    EXPECT_FALSE(reader.done());
    ASSERT_TRUE(reader.finish());
    EXPECT_TRUE(reader.done());
    EXPECT_FALSE(reader.reusable());
    EXPECT_EQ(got.body, "abc");
}

TEST(ResponseReader, CallsAnUnfinishedBodyTruncated) {
    for (const std::string_view wire :
         {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "HTTP/1.1 200 O"}) {
        ResponseReader reader;
        Collect got;
        ASSERT_TRUE(feed_in_steps(reader, wire, 7, &got));
        const auto end = reader.finish();
        ASSERT_FALSE(end) << wire;
        EXPECT_EQ(end.error().kind, ErrorKind::upstream_truncated);
    }
}

TEST(ResponseReader, DoesNotReuseAConnectionWithBytesPastTheResponse) {
    ResponseReader reader;
    Collect got;
    ASSERT_TRUE(
        feed_in_steps(reader, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naXX", 100, &got));
    EXPECT_TRUE(reader.done());
    EXPECT_FALSE(reader.reusable());
}

TEST(ResponseReader, RefusesWhatIsNotHttp) {
    ResponseReader reader;
    Collect got;
    EXPECT_FALSE(feed_in_steps(reader, "SSH-2.0-OpenSSH_9.2\r\n\r\n", 100, &got));
}

std::string problem_of(std::string_view wire) {
    ResponseReader whole;
    Collect got;
    const auto read = feed_in_steps(whole, wire, wire.size(), &got);
    const std::string problem = read ? "" : read.error().message;
    if (!read) EXPECT_EQ(read.error().kind, ErrorKind::upstream_malformed);
    for (std::size_t step = 1; step < wire.size(); ++step) {
        ResponseReader reader;
        Collect other;
        const auto in_steps = feed_in_steps(reader, wire, step, &other);
        EXPECT_EQ(in_steps ? "" : in_steps.error().message, problem) << wire << " by " << step;
        EXPECT_EQ(other.body, got.body) << wire << " by " << step;
        EXPECT_EQ(reader.done(), whole.done()) << wire << " by " << step;
        EXPECT_EQ(reader.reusable(), whole.reusable()) << wire << " by " << step;
    }
    return problem;
}

TEST(ResponseReader, RefusesWhatNobodyCanBeSureOf) {
    using namespace std::string_view_literals;
    for (const std::string_view fields :
         {"Content-Length: 1\r\nContent-Length: 2\r\n"sv, "Content-Length: x\r\n"sv,
          "Content-Length: 1, 1\r\n"sv, "Transfer-Encoding: gzip, chunked\r\n"sv,
          "Transfer-Encoding: identity\r\n"sv, "X : y\r\n"sv, "X: a\r\n folded\r\n"sv, "X\r\n"sv,
          "X: a\0b\r\n"sv, "X: a\rb\r\n"sv, "X: a\n"sv})
        EXPECT_NE(problem_of("HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n"), "") << fields;
    for (const std::string_view line :
         {"HTTP/2 200", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 099", "HTTP/1.1  200",
          "HTTP/1.1 2x0", "ICY 200 OK"})
        EXPECT_NE(problem_of(std::string(line) + "\r\n\r\n"), "") << line;
    EXPECT_EQ(problem_of("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"), "");
}

TEST(ResponseReader, DoesNotReuseAConnectionWhoseFramingIsInDoubt) {
    for (const std::string_view head :
         {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n",
          "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n"}) {
        ResponseReader reader;
        Collect got;
        ASSERT_TRUE(feed_in_steps(reader, std::string(head) + "\r\n1\r\na\r\n0\r\n\r\n", 9, &got));
        EXPECT_TRUE(reader.done());
        EXPECT_FALSE(reader.reusable());
        EXPECT_EQ(got.body, "a");
    }
    ResponseReader twice;
    Collect got;
    ASSERT_TRUE(feed_in_steps(
        twice, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 9, &got));
    EXPECT_TRUE(twice.done());
    EXPECT_FALSE(twice.reusable());
}

// However they come: a line a read, byte by byte, or as interim responses.
TEST(ResponseReader, BoundsHeadsChunkLinesAndTrailers) {
    const auto many = [](std::string text, std::string_view line) {
        while (text.size() < 2 * limits::upstream_header_bytes) text += line;
        return text;
    };
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    const std::string body = ok + "Transfer-Encoding: chunked\r\n\r\n";
    for (const std::string& wire :
         {many(ok, "A: b\r\n"), many(ok, "x"), many("", "x"), many(body, "x"),
          many(body + "1;", "x"), many(body + "0\r\n", "A: b\r\n"), many(body + "0\r\nA:", "b"),
          many("", "HTTP/1.1 103 Early Hints\r\n\r\n")}) {
        for (const std::size_t step : {std::size_t{1}, std::size_t{6}, wire.size()}) {
            ResponseReader reader;
            Collect got;
            const auto read = feed_in_steps(reader, wire, step, &got);
            ASSERT_FALSE(read) << wire.substr(0, 60) << " by " << step;
            EXPECT_EQ(read.error().kind, ErrorKind::upstream_malformed);
        }
    }
}

TEST(ResponseReader, HandsOutTheChunksOfAReadAsTheyLieInIt) {
    class Places final : public ResponseHandler {
    public:
        void on_head(const ResponseHead&) override {}
        void on_body(Padded bytes) override { places.push_back(bytes.data()); }
        std::vector<const char*> places;
    };
    std::string wire =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n";
    const Padded bytes = Padded::of(wire);
    ResponseReader reader;
    Places got;
    ASSERT_TRUE(reader.feed(bytes, &got));
    EXPECT_EQ(got.places, (std::vector<const char*>{wire.data() + wire.find("a\r\n1"),
                                                    wire.data() + wire.find("b\r\n0")}));
}

}  // namespace
}  // namespace runnel::http
