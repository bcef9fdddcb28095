#include "policy/guardrail_json.hpp"

#include <gtest/gtest.h>

namespace runnel::policy {
namespace {

TEST(GuardrailJson, IsReadWithoutItsEscapes) {
    EXPECT_EQ(readable(R"({"a":"f\u0061lcon\n\"x\""})"), "{\"a\":\"falcon\n\"x\"\"}");
    EXPECT_EQ(readable(R"( ["\ud83d\ude00"])"), " [\"😀\"]");
}

TEST(GuardrailJson, IsReadBothWaysWhereItHasMoreJsonInIt) {
    EXPECT_EQ(readable(R"({"a":"{\"b\":\"f\\u0061lcon\"}"})"),
              "{\"a\":\"{\"b\":\"f\\u0061lcon\"}\"}\n{\"a\":\"{\"b\":\"falcon\"}\"}");
    EXPECT_EQ(readable(R"({"path":"C:\\new"})"), "{\"path\":\"C:\\new\"}");
}

TEST(GuardrailJson, LeavesPlainTextAsItIs) {
    for (const std::string_view text : {"", "f\\u0061lcon", "12", "C:\\new {\"a\":1}"})
        EXPECT_EQ(readable(text), text);
}

}  // namespace
}  // namespace runnel::policy
