#include "metering/price_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::metering {
namespace {

using ::testing::HasSubstr;

std::string problem_of(std::string_view json) {
    const auto list = read_price_file(json);
    return list ? "none" : list.error().message;
}

TEST(PriceFile, IsLiteLlms) {
    const auto list = read_price_file(R"({
  "sample_spec": {"input_cost_per_token": 0.0, "litellm_provider": "one of https://…",
                  "max_tokens": "LEGACY parameter"},
  "gpt-5.4": {"litellm_provider": "openai", "mode": "chat", "max_tokens": 128000,
    "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1.5e-05,
    "cache_read_input_token_cost": 2.5e-07, "cache_read_input_token_cost_priority": 5e-07,
    "input_cost_per_token_above_272k_tokens": 5e-06,
    "output_cost_per_token_above_272k_tokens": 2.25e-05,
    "input_cost_per_token_above_272k_tokens_priority": 1e-05,
    "supports_vision": true, "supported_endpoints": ["/v1/chat/completions"]},
  "gemini/gemini-x": {"output_cost_per_reasoning_token": 3.5e-06, "input_cost_per_token": 1e-07,
    "cache_creation_input_token_cost": null, "output_cost_per_token": 6e-07,
    "litellm_provider": "gemini"},
  "together_ai/meta-llama/Llama": {"litellm_provider": "together_ai",
    "input_cost_per_token": 0, "output_cost_per_token": 0},
  "bedrock-model": {"litellm_provider": "bedrock", "input_cost_per_token": 1e-06},
  "dall-e-3": {"litellm_provider": "openai", "input_cost_per_pixel": 1.9e-08}
})");
    ASSERT_TRUE(list) << list.error().message;
    EXPECT_EQ(list->size(), 3u);
    const auto gpt = list->find("openai", "gpt-5.4-2026-03-05");
    ASSERT_TRUE(gpt);
    EXPECT_EQ(gpt->tokens, (TokenPrices{2.5e-06, 1.5e-05, 2.5e-07}));
    ASSERT_TRUE(gpt->long_input);
    EXPECT_EQ(gpt->long_input->above_tokens, 272'000);
    EXPECT_EQ(gpt->long_input->tokens, (TokenPrices{5e-06, 2.25e-05, 2.5e-07}));
    const auto gemini = list->find("gemini", "gemini-x");
    ASSERT_TRUE(gemini);
    EXPECT_EQ(gemini->tokens, (TokenPrices{1e-07, 6e-07, std::nullopt, std::nullopt, 3.5e-06}));
    EXPECT_FALSE(gemini->long_input);
    EXPECT_TRUE(list->find("together", "meta-llama/Llama"));
}

TEST(PriceFile, TakesTheFirstOfSeveralThresholds) {
    for (const char* json : {R"({"m": {"litellm_provider": "openai", "input_cost_per_token": 1e-06,
             "input_cost_per_token_above_200k_tokens": 3e-06,
             "input_cost_per_token_above_128k_tokens": 2e-06}})",
                             R"({"m": {"litellm_provider": "openai", "input_cost_per_token": 1e-06,
             "input_cost_per_token_above_128k_tokens": 2e-06,
             "input_cost_per_token_above_200k_tokens": 3e-06}})"}) {
        const auto list = read_price_file(json);
        ASSERT_TRUE(list);
        const auto price = list->find("openai", "m");
        EXPECT_EQ(price->long_input->above_tokens, 128'000);
        EXPECT_EQ(price->long_input->tokens.input, 2e-06);
    }
}

TEST(PriceFile, SaysWhatIsWrongWithIt) {
    EXPECT_EQ(
        problem_of(R"({"gpt-5": {"litellm_provider": "openai",
                                       "input_cost_per_token": "cheap"}})"),
        "line 2: the price file's entry 'gpt-5', input_cost_per_token: a price is a number, in US "
        "dollars per token");
    EXPECT_EQ(
        problem_of(R"({"a": {"input_cost_per_token": 1e-06, "litellm_provider": "openai"},
                             "b": {"output_cost_per_token": -1, "litellm_provider": "openai"}})"),
        "line 2: the price file's entry 'b', output_cost_per_token: a price is from 0 to 0.01 US "
        "dollars per token; this is -1");
    EXPECT_THAT(problem_of(R"({"b": {"output_cost_per_token": 15.0}})"), HasSubstr("this is 15"));
    EXPECT_THAT(problem_of(R"({"b": {"litellm_provider": 5}})"),
                HasSubstr("'b', litellm_provider: the provider's name is a text"));
    EXPECT_EQ(problem_of("{\n\n\"b\": 5}"), "line 3: the price file's entry 'b' is not an object");
    for (const char* json : {"", "[]", "null", "{", "{}x", R"({"a": {}})", "{\"a\": {",
                             R"({"a": {"input_cost_per_token": 1e-06, "litellm_provider":)",
                             R"({"a": {"litellm_provider": "bedrock"}})", "\xff\xfe"})
        EXPECT_THAT(problem_of(json), HasSubstr("the price file")) << json;
}

}  // namespace
}  // namespace runnel::metering
