#include "telemetry/otlp_reply.hpp"

#include <gtest/gtest.h>

namespace runnel::telemetry {
namespace {

using namespace std::chrono_literals;
using Kind = OtlpReply::Kind;

TEST(OtlpReply, IsThatAllWasTaken) {
    for (const std::string_view body : {"{}", "", R"({"partialSuccess":{}})", "fine"}) {
        const OtlpReply reply = read_otlp_reply(200, "", body);
        EXPECT_EQ(reply.kind, Kind::taken) << body;
        EXPECT_EQ(reply.rejected_spans, 0) << body;
    }
    EXPECT_EQ(read_otlp_reply(202, "", "").kind, Kind::taken);
}

TEST(OtlpReply, IsThatSomeWereTaken) {
    const auto reply = read_otlp_reply(
        200, "", R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}})");
    EXPECT_EQ(reply.kind, Kind::taken);
    EXPECT_EQ(reply.rejected_spans, 3);
    EXPECT_EQ(reply.detail, "too old");
    EXPECT_EQ(read_otlp_reply(200, "", R"({"partialSuccess":{"rejectedSpans":4}})").rejected_spans,
              4);
    EXPECT_EQ(
        read_otlp_reply(200, "", R"({"partialSuccess":{"rejectedSpans":"-4"}})").rejected_spans, 0);
}

TEST(OtlpReply, IsToTryAgainWhereThatMayHelp) {
    for (const int status : {429, 502, 503, 504})
        EXPECT_EQ(read_otlp_reply(status, "", "").kind, Kind::try_again) << status;
    for (const int status : {301, 400, 401, 404, 413, 415, 500, 501})
        EXPECT_EQ(read_otlp_reply(status, "", "").kind, Kind::refused) << status;
}

TEST(OtlpReply, SaysWhenToTryAgain) {
    EXPECT_EQ(read_otlp_reply(503, "2", "").after, 2s);
    EXPECT_EQ(read_otlp_reply(503, "99999999999", "").after, 3600s);
    for (const std::string_view header : {"", "-1", "soon", "2.5", "Fri, 31 Dec 1999 23:59:59 GMT"})
        EXPECT_FALSE(read_otlp_reply(503, header, "").after) << header;
    EXPECT_FALSE(read_otlp_reply(400, "2", "").after);
}

TEST(OtlpReply, SaysWhyInAFewWords) {
    EXPECT_EQ(read_otlp_reply(404, "", "").detail, "it answered with status 404");
    EXPECT_EQ(read_otlp_reply(401, "", "no token").detail, "it answered with status 401: no token");
    EXPECT_LT(read_otlp_reply(500, "", std::string(100'000, 'x')).detail.size(), 300U);
}

}  // namespace
}  // namespace runnel::telemetry
