#include "provider/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace runnel::provider {
namespace {

TEST(ProviderRegistry, ListsEveryKindInOrder) {
    const auto all = kinds();
    EXPECT_TRUE(std::ranges::is_sorted(all));
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
    for (const std::string_view kind : {"anthropic", "bedrock", "demo", "gemini", "vertex",
                                        "ollama", "openai", "groq", "kimi", "openai-compatible"})
        EXPECT_TRUE(std::ranges::binary_search(all, kind)) << kind;
}

TEST(ProviderRegistry, MakesAProviderOfEveryKind) {
    for (const std::string_view kind : kinds()) {
        ProviderConfig config{"mine", std::string(kind), "http://127.0.0.1:9001/v1"};
        config.cloud.region = "us-east-1";
        const auto made = make_provider(config);
        ASSERT_TRUE(made) << kind;
        EXPECT_FALSE((*made)->display_name().empty()) << kind;
    }
}

TEST(ProviderRegistry, NamesTheNearestKindForATypo) {
    const auto made = make_provider({"mine", "antropic", ""});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("did you mean 'anthropic'?"), std::string::npos);
    EXPECT_NE(made.error().message.find("vllm"), std::string::npos);
}

TEST(ProviderRegistry, WantsAnAddressWhereNoneIsKnown) {
    for (const std::string_view kind : {"azure", "openai-compatible"}) {
        const auto made = make_provider({"mine", std::string(kind), ""});
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().param, "base_url");
    }
    EXPECT_FALSE(make_provider({"mine", "openai", "api.openai.com"}));
}

TEST(ProviderRegistry, KnowsTheUsualKeyVariables) {
    EXPECT_EQ(key_variable("openai"), "OPENAI_API_KEY");
    EXPECT_EQ(key_variable("anthropic"), "ANTHROPIC_API_KEY");
    EXPECT_EQ(key_variable("gemini"), "GEMINI_API_KEY");
    EXPECT_EQ(key_variable("ollama"), "");
    EXPECT_EQ(key_variable("nobody"), "");
}

TEST(ProviderRegistry, FindsEachKeyVariableUnderOneKind) {
    std::set<std::string_view> variables;
    for (const std::string_view kind : kinds())
        if (const auto variable = key_variable(kind); !variable.empty())
            EXPECT_TRUE(variables.insert(variable).second) << kind;
}

}  // namespace
}  // namespace runnel::provider
