#include "base/foreign_text.hpp"

#include <gtest/gtest.h>

namespace runnel {
namespace {

TEST(Sanitised, KeepsAPlainReason) {
    const std::string_view reason =
        "messages.1.content.0: Input tag 'x' does not match (max 4.5 for gpt-4.1)";
    EXPECT_EQ(sanitised(reason), reason);
}

TEST(Sanitised, TakesKeysOut) {
    for (const std::string_view key :
         {"sk-live-XYZ", "sk-proj-abcdefghijkl", "xai-abcdef123456", "gsk_abcdefgh",
          "AIzaSyA1234567", "a1b2c3d4e5f6a7b8c9d0e1f2", "Bearer abc"}) {
        const std::string clean = sanitised("the key '" + std::string(key) + "' is wrong");
        EXPECT_EQ(clean.find(key.substr(key.find(' ') + 1)), std::string::npos) << clean;
        EXPECT_NE(clean.find("[secret]"), std::string::npos) << clean;
    }
}

TEST(Sanitised, TakesAddressesOut) {
    for (const std::string_view address :
         {"https://user:pass@host/path?sig=1", "http://[fd00::7]:8080/path?sig=1", "gpu-7.internal",
          "api.acme.com:8443", "10.0.0.7", "10.0.0.7:9000", "localhost:8000", "node-3:8080",
          "fe80::1:2", "ops@acme.com", "models.svc.cluster.local/v1"}) {
        const std::string clean = sanitised("cannot reach " + std::string(address) + ", try later");
        EXPECT_EQ(clean, "cannot reach [address], try later");
    }
}

TEST(Sanitised, KeepsModelNamesAndFieldNames) {
    for (const std::string_view word :
         {"claude-sonnet-4-5-20250929", "models/gemini-2.5-flash", "tools[0].function.name",
          "meta-llama/Llama-3.3-70B-Instruct-Turbo", "accounts/fireworks/models/gpt-oss-20b", "3.5",
          "e.g."})
        EXPECT_EQ(sanitised(word), word);
}

TEST(Sanitised, IsOneLine) { EXPECT_EQ(sanitised("a\r\n\tb\n"), "a b"); }

TEST(Sanitised, LeavesAnotherServersBodyOut) {
    EXPECT_EQ(sanitised(R"(upstream said: {"error":{"message":"x"}})"), "upstream said");
}

TEST(Sanitised, CutsLongTextAtASentence) {
    const std::string sentence(150, 'a');
    EXPECT_EQ(sanitised(sentence + ". " + std::string(400, 'b')), sentence + ".");
    EXPECT_LT(sanitised(std::string(5000, 'c')).size(), 400);
}

TEST(Sanitised, CutsNoCharacterInTwo) {
    std::string text;
    while (text.size() < 400) text += "é";
    const std::string clean = sanitised(text);
    EXPECT_TRUE(clean.ends_with("é…"));
}

TEST(WithoutAddresses, KeepsTheRestOfAnotherServersBody) {
    EXPECT_EQ(
        without_addresses(
            R"(status 500: {"error":"db-7.internal:5432 refused root","password":"hunter2"})"),
        R"(status 500: {"error":"[address] refused root","password":"***"})");
    EXPECT_EQ(without_addresses("a URL begins with http:// or https://"),
              "a URL begins with http:// or https://");
    EXPECT_EQ(without_addresses("no city is called 'Zurich'"), "no city is called 'Zurich'");
}

TEST(WithoutCredentials, KeepsAddressesForTheLog) {
    EXPECT_EQ(without_credentials("sk-live-XYZ at https://gpu-7.internal/v1?sig=abc"),
              "[secret] at https://gpu-7.internal/v1");
}

}  // namespace
}  // namespace runnel
