#include "http/response_reader.hpp"

#include <gtest/gtest.h>

#include <string>

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
    ASSERT_TRUE(reader.finish(&got));
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
        const auto end = reader.finish(&got);
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

}  // namespace
}  // namespace runnel::http
