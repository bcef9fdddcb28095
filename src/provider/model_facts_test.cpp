#include "provider/model_facts.hpp"

#include "provider/catalogue.hpp"
#include "provider/registry.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

TEST(ModelFacts, TellWhatAWellKnownModelCanDo) {
    const auto facts = known_facts("openai", "gpt-5-mini");
    EXPECT_EQ(facts.tools, true);
    EXPECT_EQ(facts.vision, true);
    EXPECT_EQ(facts.reasoning, true);
    EXPECT_EQ(facts.streaming, true);
    EXPECT_EQ(facts.context_length, 400'000);
    EXPECT_EQ(facts.max_output, 128'000);
    EXPECT_EQ(known_facts("groq", "llama-3.3-70b-versatile").vision, false);
    EXPECT_EQ(known_facts("perplexity", "sonar").tools, false);
}

TEST(ModelFacts, AreThoseOfItsDatedVersionsToo) {
    for (const char* name : {"gpt-4o", "gpt-4o-2024-11-20", "gpt-4o-latest"})
        EXPECT_EQ(known_facts("openai", name).context_length, 128'000) << name;
    EXPECT_EQ(known_facts("anthropic", "claude-sonnet-4-20250514").context_length, 200'000);
    EXPECT_EQ(known_facts("anthropic", "claude-sonnet-4@20250514").max_output, 64'000);
    EXPECT_EQ(known_facts("xai", "grok-4-0709").context_length, 256'000);
}

TEST(ModelFacts, AreUnknownForOtherModelsOfTheSameFamily) {
    for (const char* name :
         {"gpt-4o-audio-preview", "gpt-5.9", "gpt-5-mini-next", "gpt-50", "o3-pro"})
        EXPECT_EQ(known_facts("openai", name).tools, std::nullopt) << name;
    EXPECT_EQ(known_facts("xai", "grok-4-7").tools, std::nullopt);
    EXPECT_EQ(known_facts("gemini", "gemini-2.5-flash-image").tools, std::nullopt);
    EXPECT_EQ(known_facts("openai-compatible", "gpt-5").tools, std::nullopt);
    EXPECT_EQ(known_facts("nobody", "gpt-5").tools, std::nullopt);
}

TEST(ModelFacts, KnowANewClaudeByItsFamily) {
    const auto facts = known_facts("anthropic", "claude-opus-9");
    EXPECT_EQ(facts.tools, true);
    EXPECT_EQ(facts.vision, true);
    EXPECT_EQ(facts.context_length, std::nullopt);
}

TEST(ModelFacts, GoByTheKindsOtherNamesToo) {
    EXPECT_EQ(known_facts("kimi", "kimi-k3").context_length, 1'048'576);
}

TEST(ModelFacts, AreThoseOfTheModelInACloud) {
    EXPECT_EQ(known_facts("bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0").max_output,
              known_facts("anthropic", "claude-haiku-4-5").max_output);
    EXPECT_EQ(known_facts("bedrock", "anthropic.claude-opus-4-6-v1").vision, true);
    EXPECT_EQ(known_facts("bedrock", "eu.amazon.nova-micro-v1:0").vision, false);
    EXPECT_EQ(known_facts("vertex", "claude-opus-4-6").tools, true);
    EXPECT_EQ(known_facts("vertex", "google/gemini-2.5-pro").vision, true);
}

TEST(ModelFacts, AreThereForEveryModelThatIsListed) {
    for (const std::string_view kind : kinds())
        for (const std::string_view model : catalogue_of(kind).models)
            EXPECT_EQ(known_facts(kind, model).streaming, true) << kind << " " << model;
}

}  // namespace
}  // namespace runnel::provider
