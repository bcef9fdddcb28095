#include "provider/presets.hpp"

#include "provider/core/base_url.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace runnel::provider {
namespace {

TEST(Presets, HaveARowForEveryMemberOfTheFamily) {
    for (const std::string_view kind :
         {"openai", "azure", "xai", "deepseek", "mistral", "moonshot", "minimax", "groq",
          "together", "fireworks", "openrouter", "perplexity", "cerebras", "vllm", "llamacpp",
          "lmstudio", "openai-compatible"}) {
        ASSERT_NE(find_preset(kind), nullptr) << kind;
        EXPECT_EQ(find_preset(kind)->kind, kind);
    }
}

TEST(Presets, AreFoundByTheirOtherNames) {
    EXPECT_EQ(find_preset("kimi"), find_preset("moonshot"));
    EXPECT_EQ(find_preset("llama.cpp"), find_preset("llamacpp"));
    EXPECT_EQ(find_preset("lm-studio"), find_preset("lmstudio"));
    EXPECT_EQ(find_preset("anthropic"), nullptr);
    EXPECT_EQ(find_preset(""), nullptr);
}

TEST(Presets, StandInOrderAndNoNameStandsTwice) {
    const auto rows = presets();
    EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &Preset::kind));
    std::set<std::string_view> names;
    for (const Preset& row : rows) {
        EXPECT_TRUE(names.insert(row.kind).second) << row.kind;
        for (const std::string_view alias : row.aliases)
            EXPECT_TRUE(names.insert(alias).second) << alias;
    }
}

TEST(Presets, HaveAddressesThatCanBeRead) {
    for (const Preset& row : presets())
        if (!row.base_url.empty()) EXPECT_TRUE(read_base_url(row.base_url)) << row.kind;
}

TEST(Presets, ClaimEachModelNameOnce) {
    std::set<std::string_view> prefixes;
    for (const Preset& row : presets())
        for (const std::string_view prefix : row.model_prefixes)
            EXPECT_TRUE(prefixes.insert(prefix).second) << prefix;
}

TEST(Presets, ListModelsThatTheirOwnPrefixesClaim) {
    for (const Preset& row : presets()) {
        if (row.model_prefixes.empty()) continue;
        for (const std::string_view model : row.models)
            EXPECT_TRUE(std::ranges::any_of(row.model_prefixes, [&](std::string_view prefix) {
                return model.starts_with(prefix);
            })) << model;
    }
}

TEST(Presets, AMoreSpecificRuleStandsBeforeABroaderOne) {
    for (const Preset& row : presets()) {
        const auto& rules = row.request.model_rules;
        for (std::size_t i = 0; i < rules.size(); ++i)
            for (std::size_t j = i + 1; j < rules.size(); ++j)
                EXPECT_FALSE(rules[j].prefix.starts_with(rules[i].prefix)) << rules[j].prefix;
    }
}

}  // namespace
}  // namespace runnel::provider
