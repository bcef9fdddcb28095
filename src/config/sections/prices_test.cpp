#include "config/sections/sections.hpp"
#include "support/config_files.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

namespace runnel::config {
namespace {

using metering::Price;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::problem;
using testing::read;

// A price file that holds this; the name that it has.
std::string price_file(const testing::TemporaryFolder& folder, std::string_view json) {
    const auto path = folder.path() / "prices.json";
    std::ofstream(path) << json;
    return path.string();
}

TEST(ConfigPrices, ArePerMillionOrAsLiteLlmWritesThem) {
    const testing::TemporaryFolder folder;
    const std::string file = price_file(folder, R"({"gpt-y": {"litellm_provider": "openai",
        "input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06}})");
    const auto settings = read(R"(
prices:
  local/llama-8b: {input: 3.00, output: 15.00, cache_read: 0.3, cache_write: 3.75, reasoning: 20, per_request: 0.01}
  gpt-x: {input_cost_per_token: 2.5e-06, output_cost_per_token: 0.00001, cache_read_input_token_cost: 1e-7}
  "local/*": {input: 0, output: 0, long_input: {above: 200000, input: 1, output: 2}}
price_multiplier: 1.1
tool_fees: {web_search: 0.01}
price_file: )" + file)
                              .access;
    ASSERT_EQ(settings.prices.list.size(), 3u);
    const auto& [name, llama] = settings.prices.list[0];
    EXPECT_EQ(name, "local/llama-8b");
    EXPECT_DOUBLE_EQ(llama.tokens.input, 3e-6);
    EXPECT_DOUBLE_EQ(llama.tokens.output, 15e-6);
    EXPECT_DOUBLE_EQ(*llama.tokens.cache_read, 0.3e-6);
    EXPECT_DOUBLE_EQ(*llama.tokens.cache_write, 3.75e-6);
    EXPECT_DOUBLE_EQ(*llama.tokens.reasoning, 20e-6);
    EXPECT_DOUBLE_EQ(llama.per_request, 0.01);
    EXPECT_EQ(settings.prices.list[1].second, (Price{{2.5e-6, 1e-5, 1e-7}}));
    const Price& any = settings.prices.list[2].second;
    ASSERT_TRUE(any.long_input);
    EXPECT_EQ(any.long_input->above_tokens, 200'000);
    EXPECT_DOUBLE_EQ(any.long_input->tokens.output, 2e-6);
    EXPECT_EQ(settings.prices.file, file);
    EXPECT_DOUBLE_EQ(settings.prices.multiplier, 1.1);
    EXPECT_THAT(settings.prices.tool_fees, ElementsAre(Pair("web_search", Money::from_usd(0.01))));
}

TEST(ConfigPrices, SayWhatIsWrongWithTheirFile) {
    EXPECT_EQ(problem("price_file: /no/such/file"),
              "1:13: price_file: there is no file '/no/such/file'");
    EXPECT_EQ(problem("price_file: /dev/zero"), "1:13: price_file: there is no file '/dev/zero'");
    const testing::TemporaryFolder folder;
    const std::string file = price_file(folder, R"({"gpt-y": {"litellm_provider": "openai",
        "input_cost_per_token": "1"}})");
    EXPECT_EQ(problem("listen: 127.0.0.1:0\nprice_file: " + file),
              "2:13: price_file: " + file +
                  ": line 2: the price file's entry 'gpt-y', input_cost_per_token: a price is a "
                  "number, in "
                  "US dollars per token");
}

TEST(ConfigPrices, SayWhatIsWrong) {
    EXPECT_EQ(problem("prices: {m: {input: 3}}"),
              "1:13: prices.m: a price needs input and output, in US dollars per million tokens, "
              "such as {input: 3.00, output: 15.00}");
    EXPECT_THAT(problem("prices: {m: {input: 3, output: 5, input_cost_per_token: 1e-6, "
                        "output_cost_per_token: 1e-6}}"),
                HasSubstr("write all prices per million tokens"));
    EXPECT_THAT(problem("prices: {m: {input_cost_per_token: 3, output_cost_per_token: 1e-6}}"),
                HasSubstr("input_cost_per_token must be a number from 0 to 0.01, not '3'"));
    EXPECT_THAT(problem("prices: {m: {input: nan, output: 1}}"),
                HasSubstr("prices.m.input must be a number from 0 to 10000, not 'nan'"));
    EXPECT_THAT(problem("prices: {m: {input: 1, output: 1, long_input: {above: 5}}}"),
                HasSubstr("long_input needs above (a number of tokens), input and output"));
    EXPECT_THAT(problem("prices: {m: {imput: 1, input: 1, output: 1}}"),
                HasSubstr("did you mean 'input'?"));
    EXPECT_THAT(problem("price_multiplier: x"), HasSubstr("a number from 0 to 1000"));
}

}  // namespace
}  // namespace runnel::config
