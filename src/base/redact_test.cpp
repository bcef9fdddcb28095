#include "base/redact.hpp"

#include <gtest/gtest.h>

namespace runnel {
namespace {

TEST(Redact, HidesKeysOfWellKnownShapes) {
    EXPECT_EQ(redacted("Incorrect API key provided: sk-proj-abc123XYZ_456. Find yours at …"),
              "Incorrect API key provided: sk-*** Find yours at …");
    EXPECT_EQ(redacted("key AIzaSyD-1234567890abcdef is invalid"), "key AIza*** is invalid");
    EXPECT_EQ(redacted("(gsk_abcdefgh12345678)"), "(gsk_***)");
    EXPECT_EQ(redacted("token eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl"), "token eyJ***");
}

TEST(Redact, HidesWhatComesAfterBearer) {
    EXPECT_EQ(redacted("Authorization: Bearer abc.def/ghi== was refused"),
              "Authorization: Bearer *** was refused");
    EXPECT_EQ(redacted("bearer   short"), "bearer   ***");
    EXPECT_EQ(redacted("Proxy-Authorization: Basic dXNlcjpwYXNz"),
              "Proxy-Authorization: Basic ***");
}

TEST(Redact, HidesTheValuesOfSecretNames) {
    EXPECT_EQ(redacted("GET /v1beta/models?key=abc123&alt=sse"),
              "GET /v1beta/models?key=***&alt=sse");
    EXPECT_EQ(redacted("x-api-key: 12345, next"), "x-api-key: ***, next");
    EXPECT_EQ(redacted(R"({"api_key": "hunter2", "n": 1})"), R"({"api_key": "***", "n": 1})");
    EXPECT_EQ(redacted(R"({\"password\":\"hunter2\"})"), R"({\"password\":\"***\"})");
    EXPECT_EQ(redacted("access_token=a.b.c;"), "access_token=***;");
    EXPECT_EQ(redacted("api_key: sk-abcdefghij"), "api_key: sk-***");
}

TEST(Redact, LeavesOrdinaryTextAlone) {
    for (const char* text :
         {"", "max_tokens: 4096 is too large", "request req_011CSHoEeqs5C35K2UUqR7Fy failed",
          "the key is missing", "invalid x-api-key", "bearer", "model 'gpt-5' does not exist",
          "status 529: overloaded_error", "sk-learn", "naïve café 😀", "a key=", "key"})
        EXPECT_EQ(redacted(text), text);
}

TEST(Redact, LeavesTheGatewaysOwnWordsAlone) {
    for (const char* text :
         {"this needs a key: send Authorization: Bearer rk-… or X-API-Key: rk-…",
          "this needs the gateway's admin token: Authorization: Bearer <admin.token>",
          "tls.key: cannot use 'key.pem': no such file",
          "this key is disabled; ask whoever gave it to you to enable it"})
        EXPECT_EQ(redacted(text), text);
    EXPECT_EQ(redacted("the key: hunter is wrong"), "the key: *** is wrong");
    EXPECT_EQ(redacted("the key: sendmail7 is wrong"), "the key: *** is wrong");
    EXPECT_EQ(redacted("Bearer rk-abc…"), "Bearer ***…");
}

TEST(Redact, SaysWhereCredentialsStand) {
    EXPECT_TRUE(credentials_in("the key is missing").empty());
    EXPECT_EQ(credentials_in("key=ab, Bearer cdef"),
              (std::vector<CredentialPlace>{{4, 6}, {15, 19}}));
}

TEST(Redact, TakesAnyBytes) {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    EXPECT_EQ(redacted(bytes), bytes);
}

}  // namespace
}  // namespace runnel
