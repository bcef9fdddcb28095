#include "guardrail/registry.hpp"

#include "support/guardrail_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace runnel::guardrail {
namespace {

using testing::detecting_rule;
using ::testing::HasSubstr;

TEST(GuardrailRegistry, EveryEntryHasAKeyOfItsOwn) {
    std::set<std::string_view> keys;
    for (const Detector* detector : detectors()) {
        EXPECT_TRUE(keys.insert(detector->key()).second) << detector->key();
        EXPECT_EQ(detector_of(detector->key()), detector);
    }
    keys.clear();
    for (const Check* check : checks()) {
        EXPECT_TRUE(keys.insert(check->key()).second) << check->key();
        EXPECT_EQ(check_of(check->key()), check);
    }
    EXPECT_EQ(detector_of("nobody"), nullptr);
    EXPECT_EQ(check_of("nobody"), nullptr);
}

TEST(GuardrailRegistry, WhatADetectorOffersCanBeLookedFor) {
    for (const Detector* detector : detectors())
        for (const std::string_view choice : detector->choices()) {
            const auto set = GuardrailSet::make(
                {detecting_rule("rule", detector->key(), {std::string(choice)})});
            EXPECT_TRUE(set.has_value()) << detector->key() << ": " << choice;
        }
}

TEST(GuardrailRegistry, ARuleThatNobodyCanFollowIsAnError) {
    const auto detected = GuardrailSet::make({detecting_rule("rule", "nobody", {"x"})});
    ASSERT_FALSE(detected.has_value());
    EXPECT_THAT(detected.error().message, HasSubstr("'nobody'"));
    GuardrailRule asking{.name = "rule"};
    asking.check = GuardrailRule::Check{.address = "http://check/", .key = "nobody"};
    const auto asked = GuardrailSet::make({asking});
    ASSERT_FALSE(asked.has_value());
    EXPECT_THAT(asked.error().message, HasSubstr("'nobody'"));
}

}  // namespace
}  // namespace runnel::guardrail
