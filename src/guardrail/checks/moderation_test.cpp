#include "guardrail/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::guardrail {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GuardrailCheck, AsksAsOpenAisModerationIsAsked) {
    EXPECT_EQ(moderation_check().call("http://check/", "say \"hi\"\n").body,
              R"({"input":"say \"hi\"\n"})");
}

TEST(GuardrailCheck, ReadsItsOwnShape) {
    const auto answer =
        moderation_check().read(R"({"flagged": true, "categories": ["hate", "spam"]})");
    ASSERT_TRUE(answer.has_value());
    EXPECT_TRUE(answer->flagged);
    EXPECT_THAT(answer->categories, ElementsAre("hate", "spam"));
    EXPECT_FALSE(moderation_check().read(R"({"flagged": false})")->flagged);
}

TEST(GuardrailCheck, ReadsOpenAisModerationAnswer) {
    const auto answer = moderation_check().read(
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
        EXPECT_FALSE(moderation_check().read(body).has_value()) << body;
}

TEST(GuardrailCheck, ThatCanNotBeMadeNamesItsRule) {
    const Error error = check_failed({.name = "moderated"}, "timed out after 2s");
    EXPECT_EQ(error.kind, ErrorKind::guardrail_blocked);
    EXPECT_THAT(error.message, HasSubstr("'moderated'"));
    EXPECT_THAT(error.detail, HasSubstr("timed out"));
}

}  // namespace
}  // namespace runnel::guardrail
