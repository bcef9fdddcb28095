#include "guardrail/json.hpp"

#include "support/guardrail_rules.hpp"

#include <gtest/gtest.h>

namespace runnel::guardrail {
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

TEST(GuardrailJson, StaysJsonWhenANumberIsReplaced) {
    const auto set =
        testing::guardrails({testing::pii_rule({"card"}, GuardrailRule::Action::redact)});
    GuardrailWorkspace workspace;
    for (const auto& [json, shown] : {std::pair{"4111111111111111", R"("[card]")"},
                                      std::pair{R"([4111111111111111])", R"(["[card]"])"},
                                      std::pair{"is 4111111111111111", "is [card]"}}) {
        const auto scanned = scan_json_at(GuardrailPlace::tool_arguments, *set, testing::all_rules,
                                          &workspace, json);
        ASSERT_TRUE(scanned.has_value());
        EXPECT_EQ(scanned->json, shown);
    }
}

TEST(GuardrailJson, LeavesPlainTextAsItIs) {
    for (const std::string_view text : {"", "f\\u0061lcon", "12", "C:\\new {\"a\":1}"})
        EXPECT_EQ(readable(text), text);
}

}  // namespace
}  // namespace runnel::guardrail
