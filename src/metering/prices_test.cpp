#include "metering/prices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace runnel::metering {
namespace {

using ::testing::HasSubstr;

constexpr double per_million = 1e-6;

std::optional<double> input_of(std::optional<Price> price) {
    if (!price) return std::nullopt;
    return price->tokens.input / per_million;
}

TEST(PriceList, FindsTheLongestNameThatAModelIsAVersionOf) {
    PriceList list;
    list.set("openai", "gpt-5", {{1, 1}});
    list.set("openai", "gpt-5-mini", {{2, 2}});
    list.set("openai", "gpt-5-mini-2025-08-07", {{3, 3}});
    EXPECT_EQ(list.find("openai", "gpt-5")->tokens.input, 1);
    EXPECT_EQ(list.find("openai", "gpt-5-2025-08-07")->tokens.input, 1);
    EXPECT_EQ(list.find("openai", "gpt-5-mini-latest")->tokens.input, 2);
    EXPECT_EQ(list.find("openai", "gpt-5-mini-2025-08-07")->tokens.input, 3);
    // A name that nobody knows has no price, whatever it resembles.
    for (const char* model :
         {"gpt-5-nano", "gpt-5-mini-high", "gpt-5.1", "gpt-5-1", "gpt", "", "-"})
        EXPECT_FALSE(list.find("openai", model)) << model;
    EXPECT_FALSE(list.find("azure", "gpt-5"));
}

TEST(Prices, ShipWithWellKnownModels) {
    const Prices prices{PriceSettings{}};
    const auto input = [&](std::string_view kind, std::string_view model) {
        return input_of(prices.find("mine", kind, model));
    };
    EXPECT_DOUBLE_EQ(*input("openai", "gpt-5-mini-2025-08-07"), 0.25);
    EXPECT_DOUBLE_EQ(*input("azure", "gpt-4o"), 2.5);
    EXPECT_DOUBLE_EQ(*input("anthropic", "claude-haiku-4-5-20251001"), 1);
    EXPECT_DOUBLE_EQ(*input("anthropic", "claude-opus-4-20250514"), 15);
    EXPECT_DOUBLE_EQ(*input("anthropic", "claude-opus-4-5"), 5);
    EXPECT_DOUBLE_EQ(*input("gemini", "gemini-3-pro-preview"), 2);
    EXPECT_DOUBLE_EQ(*input("gemini", "gemini-2.5-flash-preview-05-20"), 0.3);
    EXPECT_DOUBLE_EQ(*input("kimi", "kimi-k2-0905-preview"), 0.6);
    EXPECT_DOUBLE_EQ(*input("mistral", "mistral-large-latest"), 0.5);
    for (const char* kind : {"demo", "ollama", "vllm", "llamacpp", "lmstudio", "openai-compatible"})
        EXPECT_FALSE(prices.find("mine", kind, "gpt-4o")) << kind;
    EXPECT_FALSE(prices.find("mine", "openai", "gpt-99"));

    const auto gemini = prices.find("google", "gemini", "gemini-2.5-pro");
    ASSERT_TRUE(gemini && gemini->long_input);
    EXPECT_EQ(gemini->long_input->above_tokens, 200'000);
    EXPECT_DOUBLE_EQ(gemini->long_input->tokens.output / per_million, 15);
}

TEST(Prices, OfTheConfigComeFirst) {
    PriceSettings settings;
    settings.list = {{"gpt-4o", {{1 * per_million, 1 * per_million}}},
                     {"local/*", {{2 * per_million, 2 * per_million}}},
                     {"local/llama-8b", {{3 * per_million, 3 * per_million}}},
                     {"local/llama-*", {{4 * per_million, 4 * per_million}}}};
    const Prices prices(settings);
    EXPECT_DOUBLE_EQ(*input_of(prices.find("a", "openai", "gpt-4o")), 1);
    EXPECT_DOUBLE_EQ(*input_of(prices.find("local", "vllm", "gpt-4o")), 1);
    EXPECT_DOUBLE_EQ(*input_of(prices.find("local", "vllm", "qwen")), 2);
    EXPECT_DOUBLE_EQ(*input_of(prices.find("local", "vllm", "llama-8b")), 3);
    EXPECT_DOUBLE_EQ(*input_of(prices.find("local", "vllm", "llama-70b")), 4);
    EXPECT_FALSE(prices.find("other", "vllm", "llama-70b"));
    EXPECT_DOUBLE_EQ(*input_of(prices.find("a", "openai", "gpt-4o-mini")), 0.15);
}

TEST(Prices, AreMultiplied) {
    PriceSettings settings;
    settings.multiplier = 1.5;
    settings.tool_fees = {{"web_search", Money::from_usd(0.01)}};
    const Prices prices(settings);
    const auto price = prices.find("claude", "anthropic", "claude-haiku-4-5");
    EXPECT_DOUBLE_EQ(price->tokens.output / per_million, 7.5);
    EXPECT_DOUBLE_EQ(*price->tokens.cache_read / per_million, 0.15);
    EXPECT_EQ(prices.tool_fee("web_search"), Money::from_usd(0.01));
    EXPECT_FALSE(prices.tool_fee("calculator"));
}

TEST(Prices, OfAFileComeBeforeTheTable) {
    const auto path = std::filesystem::temp_directory_path() / "runnel-price-file-test.json";
    std::ofstream(path) << R"({"gpt-4o": {"litellm_provider": "openai",
        "input_cost_per_token": 9e-06, "output_cost_per_token": 1e-05}})";
    PriceSettings settings;
    settings.file = path.string();
    const auto prices = load_prices(settings);
    ASSERT_TRUE(prices);
    EXPECT_DOUBLE_EQ(*input_of(prices->find("a", "openai", "gpt-4o-2024-08-06")), 9);
    EXPECT_DOUBLE_EQ(*input_of(prices->find("a", "openai", "gpt-4o-mini")), 0.15);

    std::ofstream(path) << "{";
    EXPECT_THAT(load_prices(settings).error().message, HasSubstr("runnel-price-file-test.json: "));
    std::filesystem::remove(path);
    EXPECT_THAT(load_prices(settings).error().message, HasSubstr("can't be read"));
}

}  // namespace
}  // namespace runnel::metering
