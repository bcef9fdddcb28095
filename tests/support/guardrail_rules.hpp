#pragma once

#include "policy/guardrail_set.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

// Rules as tests write them, ready to be used.
namespace runnel::testing {

using policy::GuardrailRule;

inline GuardrailRule pii_rule(std::vector<GuardrailRule::Pii> pii,
                              GuardrailRule::Action action = GuardrailRule::Action::block) {
    GuardrailRule rule{.name = "personal", .kind = GuardrailRule::Kind::pii};
    rule.pii = std::move(pii);
    rule.action = action;
    return rule;
}

inline GuardrailRule all_pii(GuardrailRule::Action action = GuardrailRule::Action::block) {
    using enum GuardrailRule::Pii;
    return pii_rule({email, phone, card, iban, secret}, action);
}

inline GuardrailRule pattern_rule(std::string name, std::vector<std::string> patterns,
                                  GuardrailRule::Action action = GuardrailRule::Action::block) {
    GuardrailRule rule{.name = std::move(name)};
    rule.patterns = std::move(patterns);
    rule.action = action;
    return rule;
}

inline GuardrailRule word_rule(std::string name, std::vector<std::string> words,
                               GuardrailRule::Action action = GuardrailRule::Action::block) {
    GuardrailRule rule{.name = std::move(name)};
    rule.words = std::move(words);
    rule.action = action;
    return rule;
}

inline std::shared_ptr<const policy::GuardrailSet> guardrails(std::vector<GuardrailRule> rules) {
    auto set = policy::GuardrailSet::make(std::move(rules));
    EXPECT_TRUE(set.has_value()) << set.error().message;
    return set ? *set : nullptr;
}

inline constexpr policy::GuardrailBits all_rules = ~policy::GuardrailBits{0};

}  // namespace runnel::testing
