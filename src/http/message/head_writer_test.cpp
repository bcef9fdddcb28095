#include "http/message/head_writer.hpp"

#include <gtest/gtest.h>

namespace runnel::http {
namespace {

using namespace std::string_view_literals;

TEST(HeadWriter, WritesHeads) {
    EXPECT_EQ(HeadWriter::request("POST", "/v1/x?y=1", "a:80")
                  .field("Accept", "*/*")
                  .number("Content-Length", 12)
                  .finish(),
              "POST /v1/x?y=1 HTTP/1.1\r\nHost: a:80\r\nAccept: */*\r\nContent-Length: 12\r\n\r\n");
    EXPECT_EQ(HeadWriter::response("HTTP/1.0", 404, "Not Found").finish(),
              "HTTP/1.0 404 Not Found\r\n\r\n");
}

TEST(HeadWriter, KeepsEveryFieldInOneLine) {
    EXPECT_EQ(HeadWriter::response("HTTP/1.1", 200, "OK")
                  .field("X-Model", "local/x\r\nSet-Cookie: a=b")
                  .field("X-Null", "a\0b"sv)
                  .field("Bad\r\nName", "x")
                  .field("Bad: Name", "x")
                  .field("", "x")
                  .field("X-Fine", "a\tb \xC3\xA9")
                  .finish(),
              "HTTP/1.1 200 OK\r\nX-Model: local/x  Set-Cookie: a=b\r\nX-Null: a b\r\n"
              "X-Fine: a\tb \xC3\xA9\r\n\r\n");
}

TEST(HeadWriter, KeepsTheFirstLineOneLine) {
    EXPECT_EQ(HeadWriter::request("GET", "/a b\r\nX: y\0"sv, "h\r\nX: y").finish(),
              "GET /a%20b%0D%0AX:%20y%00 HTTP/1.1\r\nHost: h  X: y\r\n\r\n");
}

}  // namespace
}  // namespace runnel::http
