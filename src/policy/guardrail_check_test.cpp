#include "policy/guardrail_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GuardrailCheck, AsksAsOpenAisModerationIsAsked) {
    EXPECT_EQ(write_check("say \"hi\"\n"), R"({"input":"say \"hi\"\n"})");
}

TEST(GuardrailCheck, ReadsItsOwnShape) {
    const auto answer = read_check(R"({"flagged": true, "categories": ["hate", "spam"]})");
    ASSERT_TRUE(answer.has_value());
    EXPECT_TRUE(answer->flagged);
    EXPECT_THAT(answer->categories, ElementsAre("hate", "spam"));
    EXPECT_FALSE(read_check(R"({"flagged": false})")->flagged);
}

TEST(GuardrailCheck, ReadsOpenAisModerationAnswer) {
    const auto answer = read_check(
        R"({"id":"modr-1","model":"m","results":[{"flagged":true,"categories":{"hate":false,"violence":true},
            "category_scores":{"hate":0.1}}]})");
    ASSERT_TRUE(answer.has_value());
    EXPECT_TRUE(answer->flagged);
    EXPECT_THAT(answer->categories, ElementsAre("violence"));
}

TEST(GuardrailCheck, AnAnswerThatDoesNotSayIsAnError) {
    for (const std::string_view body :
         {"", "no", "{}", "[]", R"({"flagged":"yes"})", R"({"flagged":false)", R"({"results":[]})",
          R"({"flagged":false,"categories":[)"})
        EXPECT_FALSE(read_check(body).has_value()) << body;
}

TEST(GuardrailCheck, ThatCanNotBeMadeNamesItsRule) {
    const Error error = check_failed({.name = "moderated"}, "timed out after 2s");
    EXPECT_EQ(error.kind, ErrorKind::guardrail_blocked);
    EXPECT_THAT(error.message, HasSubstr("'moderated'"));
    EXPECT_THAT(error.detail, HasSubstr("timed out"));
}

}  // namespace
}  // namespace runnel::policy
