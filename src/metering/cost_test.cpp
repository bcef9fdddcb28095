#include "metering/cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace runnel::metering {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

constexpr double per_million = 1e-6;

timeline::Usage used(std::int64_t input, std::int64_t output) {
    timeline::Usage usage;
    usage.fresh_input = input;
    usage.output = output;
    return usage;
}

TEST(Cost, IsTokensTimesPrices) {
    const Price price{{3.00 * per_million, 15.00 * per_million}};
    const auto lines = cost_of(used(2000, 500), price);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].sku, "input");
    EXPECT_EQ(lines[0].quantity, 2000);
    EXPECT_EQ(lines[0].amount, (Money{6'000'000}));
    EXPECT_EQ(lines[1].sku, "output");
    EXPECT_EQ(lines[1].amount, (Money{7'500'000}));
    EXPECT_EQ(total_of(lines), Money::from_usd(0.0135));
}

TEST(Cost, OfAnAnswerThatBrokeOffIsWhatWasProduced) {
    const Price price{{3.00 * per_million, 15.00 * per_million}};
    EXPECT_EQ(total_of(cost_of(used(0, 100), price)), Money::from_usd(0.0015));
    EXPECT_TRUE(cost_of(used(0, 0), price).empty());
}

TEST(Cost, OfCachedTokensIsTheirOwnPrice) {
    Price price{{3.00 * per_million, 15.00 * per_million}};
    timeline::Usage usage = used(84, 16);
    usage.cache_read = 1792;
    usage.cache_write = 100;
    // Without prices of their own they are input.
    EXPECT_EQ(total_of(cost_of(usage, price)), (Money{(84 + 1792 + 100) * 3000 + 16 * 15'000}));
    price.tokens.cache_read = 0.30 * per_million;
    price.tokens.cache_write = 3.75 * per_million;
    EXPECT_THAT(cost_of(usage, price), ElementsAre(Field(&CostLine::amount, Money{84 * 3000}),
                                                   Field(&CostLine::amount, Money{1792 * 300}),
                                                   Field(&CostLine::amount, Money{100 * 3750}),
                                                   Field(&CostLine::amount, Money{16 * 15'000})));
}

TEST(Cost, OfReasoningIsOutputsUnlessItHasItsOwn) {
    Price price{{1 * per_million, 10 * per_million}};
    timeline::Usage usage = used(0, 100);
    usage.reasoning = 60;
    EXPECT_EQ(total_of(cost_of(usage, price)), (Money{100 * 10'000}));
    price.tokens.reasoning = 20 * per_million;
    EXPECT_THAT(cost_of(usage, price), ElementsAre(Field(&CostLine::amount, Money{40 * 10'000}),
                                                   Field(&CostLine::amount, Money{60 * 20'000})));
}

TEST(Cost, OfALongInputIsForTheWholeRequest) {
    Price price{{1 * per_million, 10 * per_million}};
    price.long_input = {200'000, {2 * per_million, 15 * per_million}};
    EXPECT_EQ(total_of(cost_of(used(200'000, 10), price)), (Money{200'000 * 1000 + 10 * 10'000}));
    EXPECT_EQ(total_of(cost_of(used(200'001, 10), price)), (Money{200'001 * 2000 + 10 * 15'000}));
}

TEST(Cost, HasLinesForRequestsAndTools) {
    Price price{{1 * per_million, 1 * per_million}};
    price.per_request = 0.005;
    EXPECT_EQ(total_of(cost_of(used(1, 0), price)), (Money{1000 + 5'000'000}));
    const CostLine fee = tool_fee("web_search", 3, Money::from_usd(0.01));
    EXPECT_EQ(fee.sku, "tool:web_search");
    EXPECT_EQ(fee.amount, Money::from_usd(0.03));
}

TEST(Cost, IsNeverMoreThanTheMostExpensiveThatWasExpected) {
    std::mt19937 random(1);
    const auto pick = [&](std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(0, most)(random);
    };
    for (int i = 0; i < 1000; ++i) {
        Price price{
            {static_cast<double>(pick(5000)) * 1e-9, static_cast<double>(pick(9000)) * 1e-9}};
        if (pick(1) != 0) price.tokens.cache_read = static_cast<double>(pick(500)) * 1e-9;
        if (pick(1) != 0) price.tokens.cache_write = static_cast<double>(pick(9000)) * 1e-9;
        if (pick(1) != 0) price.tokens.reasoning = static_cast<double>(pick(20'000)) * 1e-9;
        timeline::Usage usage = used(pick(10'000), pick(10'000));
        usage.cache_read = pick(10'000);
        usage.cache_write = pick(10'000);
        usage.reasoning = pick(usage.output);
        EXPECT_LE(total_of(cost_of(usage, price)),
                  most_expensive(usage.input(), usage.output, price));
    }
}

}  // namespace
}  // namespace runnel::metering
