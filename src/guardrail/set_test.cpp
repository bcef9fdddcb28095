#include "guardrail/set.hpp"

#include "support/guardrail_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pthread.h>

namespace runnel::guardrail {
namespace {

using ::testing::ElementsAre;
using testing::guardrails;
using ::testing::HasSubstr;
using testing::pattern_rule;
using testing::pii_rule;
using Strings = std::vector<std::string>;

GuardrailRule asked(GuardrailRule rule) {
    rule.when = GuardrailRule::When::asked;
    return rule;
}

GuardrailBits selected(const GuardrailSet& set, const Strings& request, const Strings& model = {},
                       const Strings& key = {}) {
    const auto bits = set.select({request, model, key});
    EXPECT_TRUE(bits.has_value()) << bits.error().message;
    return bits.value_or(0);
}

TEST(GuardrailSet, SelectsByNameAndKind) {
    const auto set = guardrails({pattern_rule("always", {"a"}), asked(pattern_rule("b", {"b"})),
                                 asked(pii_rule({"card"}))});
    EXPECT_EQ(selected(*set, {}), 1u);
    EXPECT_EQ(selected(*set, {"b"}), 3u);
    EXPECT_EQ(selected(*set, {"pii"}), 5u);
    EXPECT_EQ(selected(*set, {"custom"}), 3u);
    EXPECT_EQ(selected(*set, {}, {"personal"}), 5u);
    EXPECT_EQ(selected(*set, {}, {}, {"b", "pii"}), 7u);
}

TEST(GuardrailSet, HasARuleForPersonalDataWhereTheConfigHasNone) {
    const auto set = guardrails({});
    EXPECT_EQ(selected(*set, {}), 0u);
    const GuardrailBits bits = selected(*set, {"pii"});
    EXPECT_EQ(bits, 1u);
    EXPECT_EQ(set->rule(0).detect.at("pii").size(), 5u);
    EXPECT_EQ(set->local_at(GuardrailPlace::tool_arguments, bits), bits);
    EXPECT_THAT(set->notes(bits), ElementsAre("pii: block"));
}

TEST(GuardrailSet, RefusesWhatARequestAsksForInVain) {
    const auto set = guardrails({pattern_rule("mine", {"a"})});
    const auto message = [&](const std::string& name) {
        const auto bits = set->select({.by_request = Strings{name}});
        EXPECT_FALSE(bits.has_value());
        EXPECT_EQ(bits.error().kind, ErrorKind::invalid_value);
        EXPECT_EQ(bits.error().param, "guardrails");
        return bits.error().message;
    };
    EXPECT_THAT(message("pie"),
                HasSubstr("'pie' is not a guardrail; there are: custom, pii, mine"));
    EXPECT_THAT(message("content_moderation"), HasSubstr("must be added to guardrails"));
}

TEST(GuardrailSet, APolicyThatNobodyCanApplyBlocks) {
    const auto bits = guardrails({})->select({.by_key = Strings{"gone"}});
    ASSERT_FALSE(bits.has_value());
    EXPECT_EQ(bits.error().kind, ErrorKind::guardrail_blocked);
    EXPECT_THAT(bits.error().message, HasSubstr("'gone'"));
}

TEST(GuardrailSet, ARuleThatCanNotRunIsAnError) {
    const auto set = GuardrailSet::make({asked(pattern_rule("mine", {"(a"}))});
    ASSERT_FALSE(set.has_value());
    EXPECT_THAT(set.error().message, HasSubstr("the guardrail 'mine': '(a':"));
}

TEST(GuardrailSet, CompilesNoCombinationThatSomebodyAsksFor) {
    std::vector<GuardrailRule> rules{pattern_rule("everybody", {"x"})};
    for (int i = 0; i < 8; ++i)
        rules.push_back(asked(pattern_rule(std::string(1, static_cast<char>('a' + i)), {"x"})));
    const auto set = guardrails(std::move(rules));
    EXPECT_EQ((*set->matcher(1))->expressions().size(), 1u);
    const auto all = *set->matcher(3);
    EXPECT_EQ(all->expressions().size(), 9u) << "those that were not asked for are passed over";
    for (GuardrailBits bits = 2; bits < 512; ++bits) {
        EXPECT_TRUE(set->is_ready(bits));
        EXPECT_EQ(*set->matcher(bits), all);
    }
}

TEST(GuardrailSet, CompilesItsOwnRuleWhenSomebodyAsksForIt) {
    const auto set = guardrails({pattern_rule("mine", {"x"})});
    EXPECT_TRUE(set->is_ready(1));
    EXPECT_FALSE(set->is_ready(2));
    EXPECT_GT((*set->matcher(3))->expressions().size(), 10u);
    EXPECT_TRUE(set->is_ready(2));
    EXPECT_EQ(*set->matcher(2), *set->matcher(3));
    (void)guardrails({})->is_ready(1);  // one that goes away meanwhile
}

TEST(GuardrailSet, LetsNothingPassWhenThereIsNoThreadForIt) {
    pthread_attr_t usual, huge;
    ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
    ASSERT_EQ(pthread_getattr_default_np(&huge), 0);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 50);  // no machine has room for that
    ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
    const auto made = guardrails({})->matcher(1);
    pthread_setattr_default_np(&usual);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::internal_error);
    EXPECT_THAT(made.error().message, ::testing::HasSubstr("reload the config"));
}

TEST(GuardrailWorkspace, KeepsASeatForTheCombinationsOfRulesButNotForAnyNumber) {
    std::vector<GuardrailRule> rules;
    for (int i = 0; i < 10; ++i)
        rules.push_back(asked(pattern_rule(std::string(1, static_cast<char>('a' + i)), {"x"})));
    const auto set = guardrails(std::move(rules));
    GuardrailWorkspace workspace;
    const auto first = *workspace.scanner_for(*set, 1);
    EXPECT_EQ(*workspace.scanner_for(*set, 2), first);
    for (GuardrailBits bits = 1; bits < 1000; ++bits)
        EXPECT_TRUE(workspace.scanner_for(*set, bits).has_value());
    EXPECT_NE(*workspace.scanner_for(*set, 1), first);
}

}  // namespace
}  // namespace runnel::guardrail
