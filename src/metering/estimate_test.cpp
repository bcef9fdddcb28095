#include "metering/estimate.hpp"

#include "support/chat_requests.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace runnel::metering {
namespace {

chat::Request request_with(chat::Part part) {
    chat::Request request;
    request.messages.push_back(testing::said(chat::Role::user, {part}));
    return request;
}

TEST(Estimate, OfTextIsATokenForThreeBytes) {
    const std::string text(3000, 'x');
    EXPECT_EQ(estimated_input_tokens(request_with(testing::text(text))), 1004);
    EXPECT_EQ(estimated_input_tokens({}), 0);
}

TEST(Estimate, OfAnImageDoesNotDependOnItsBytes) {
    const std::string data(1'000'000, 'A');
    EXPECT_EQ(estimated_input_tokens(request_with(testing::image(data))), 1604);
}

TEST(Estimate, CountsToolsAndCalls) {
    chat::Request request = request_with(testing::text("abc"));
    const std::int64_t before = estimated_input_tokens(request);
    request.tools.emplace_back().parameters_raw = R"({"type":"object","properties":{}})";
    request.messages.push_back(testing::called({{"call_1", R"({\"city\":\"Paris\"})"}}));
    EXPECT_GT(estimated_input_tokens(request), before + 15);
}

TEST(Estimate, OfThoughtsThatComeBackCountsTheirProofs) {
    const std::string text(3000, 'x');
    EXPECT_EQ(estimated_input_tokens(
                  request_with({chat::Reasoning{.text_escaped = text, .signature_escaped = text}})),
              2004);
}

TEST(Estimate, OfThinkingIsItsBudgetOrWhatAnEffortComesTo) {
    EXPECT_EQ(estimated_thinking_tokens({}), 0);
    EXPECT_EQ(estimated_thinking_tokens({.effort = chat::Effort::high}), 4096);
    EXPECT_EQ(estimated_thinking_tokens({.budget_tokens = 60'000}), 60'000);
}

TEST(Estimate, OfOutputIsWhatTheRequestOrTheModelAllows) {
    chat::Operation operation;
    EXPECT_EQ(reserved_output_tokens(operation, std::nullopt, 4096), 4096);
    EXPECT_EQ(reserved_output_tokens(operation, 1000, 4096), 1000);
    operation.max_tokens = 50;
    EXPECT_EQ(reserved_output_tokens(operation, 1000, 4096), 50);
    operation.choices = 3;
    EXPECT_EQ(reserved_output_tokens(operation, 1000, 4096), 150);
    operation.thinking_tokens = 60'000;
    EXPECT_EQ(reserved_output_tokens(operation, 1000, 4096), 150 + 3 * 60'000);
    operation.max_tokens = std::numeric_limits<std::int64_t>::max();
    EXPECT_GT(reserved_output_tokens(operation, std::nullopt, 4096), 0);
}

}  // namespace
}  // namespace runnel::metering
