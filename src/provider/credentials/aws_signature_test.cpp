#include "provider/credentials/aws_signature.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {
namespace {

// The keys, the time and the scope of AWS' published test suite for Signature Version 4.
const AwsKeys suite_keys{"AKIDEXAMPLE", Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")};
constexpr std::chrono::sys_seconds suite_time{std::chrono::seconds(1440938160)};  // 12:36:00 UTC
constexpr std::string_view suite_session =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSP"
    "fIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT"
    "7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlz"
    "m8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

struct Vector {
    std::string_view name;
    std::string_view method;
    std::string_view path;
    std::string_view signature;
    std::string_view signed_headers = "host;x-amz-date";
    std::vector<HeaderField> headers = {};
    std::string_view body = "";
    std::string_view session = "";
    std::string_view origin = "https://example.amazonaws.com";
    std::string_view region = "us-east-1";
    std::string_view service = "service";
};

std::string value_of(const std::vector<HeaderField>& headers, std::string_view name) {
    for (const HeaderField& header : headers)
        if (header.name == name) return header.value;
    return "absent";
}

void expect_vectors(const std::vector<Vector>& vectors) {
    for (const Vector& v : vectors) {
        AwsKeys keys = suite_keys;
        keys.session_token = Secret(std::string(v.session));
        const AwsScope scope{std::string(v.region), std::string(v.service)};
        const auto headers =
            aws_signature({v.method, v.origin, v.path, v.headers, v.body}, keys, scope, suite_time);
        EXPECT_EQ(value_of(headers, "x-amz-date"), "20150830T123600Z") << v.name;
        EXPECT_EQ(value_of(headers, "x-amz-security-token"),
                  v.session.empty() ? "absent" : v.session)
            << v.name;
        EXPECT_EQ(value_of(headers, "authorization"),
                  "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/" + scope.region + "/" +
                      scope.service + "/aws4_request, SignedHeaders=" +
                      std::string(v.signed_headers) + ", Signature=" + std::string(v.signature))
            << v.name;
    }
}

TEST(AwsSignature, GivesThoseOfTheirTestSuite) {
    expect_vectors({
        {"get-vanilla", "GET", "/",
         "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        {"post-vanilla", "POST", "/",
         "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
        {"get-vanilla-query-order-key-case", "GET", "/?Param2=value2&Param1=value1",
         "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
        {"get-vanilla-query-order-value", "GET", "/?Param1=value2&Param1=Value1",
         "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"},
        {"get-utf8", "GET", "/\u1234",
         "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
        {.name = "post-x-www-form-urlencoded",
         .method = "POST",
         .path = "/",
         .signature = "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
         .signed_headers = "content-type;host;x-amz-date",
         .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
         .body = "Param1=value1"},
        {.name = "post-sts-header-before",
         .method = "POST",
         .path = "/",
         .signature = "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
         .signed_headers = "host;x-amz-date;x-amz-security-token",
         .session = suite_session},
    });
}

// As AWS' own Python library signs them: a model's colon is encoded in the path, and once more in
// what is signed.
TEST(AwsSignature, OfBedrocksPathsIsThatOfTheirLibrary) {
    const std::vector<HeaderField> json{{"content-type", "application/json"},
                                        {"accept", "application/vnd.amazon.eventstream"}};
    expect_vectors({
        {.name = "an inference profile",
         .method = "POST",
         .path = "/model/eu.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream",
         .signature = "105f137187535df9a0f8f9233696ad1b8ac4cbd0ad0f736e1046c4b10219accd",
         .signed_headers = "content-type;host;x-amz-date",
         .headers = json,
         .body = R"({"messages":[]})",
         .origin = "https://bedrock-runtime.eu-west-1.amazonaws.com",
         .region = "eu-west-1",
         .service = "bedrock"},
        {.name = "an ARN, with a session",
         .method = "POST",
         .path = "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3A"
                 "application-inference-profile%2Fabc/converse",
         .signature = "47d40e1385723b17a42eb4d81e2a335247921ad5338de639f09341b3fdd0116d",
         .signed_headers = "content-type;host;x-amz-date;x-amz-security-token",
         .headers = json,
         .body = R"({"messages":[]})",
         .session = suite_session,
         .origin = "https://bedrock-runtime.eu-west-1.amazonaws.com",
         .region = "eu-west-1",
         .service = "bedrock"},
        {.name = "a port",
         .method = "POST",
         .path = "/model/m/converse",
         .signature = "430ae1e0fb5b5c0c5353d268b2781598005c0db2e084a0973d4e2d7df24f64bd",
         .signed_headers = "content-type;host;x-amz-date",
         .headers = json,
         .body = "{}",
         .origin = "http://127.0.0.1:9001",
         .region = "eu-west-1",
         .service = "bedrock"},
    });
}

TEST(AwsSignature, StandsForTheBody) {
    const auto signed_for = [](std::string_view body) {
        const auto headers = aws_signature({"POST", "https://a", "/", {}, body}, suite_keys,
                                           {"us-east-1", "bedrock"}, suite_time);
        return value_of(headers, "authorization");
    };
    EXPECT_NE(signed_for("{}"), signed_for("{} "));
}

}  // namespace
}  // namespace runnel::provider
