#include "policy/estimate.hpp"

#include "support/chat_requests.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace runnel::policy {
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
    request.messages[0].tool_calls.emplace_back().arguments_escaped = R"({\"city\":\"Paris\"})";
    EXPECT_GT(estimated_input_tokens(request), before + 15);
}

TEST(Estimate, OfOutputIsWhatTheRequestOrTheModelAllows) {
    chat::Request request;
    EXPECT_EQ(reserved_output_tokens(request, std::nullopt, 4096), 4096);
    EXPECT_EQ(reserved_output_tokens(request, 1000, 4096), 1000);
    request.max_tokens = 50;
    EXPECT_EQ(reserved_output_tokens(request, 1000, 4096), 50);
    request.n = 3;
    EXPECT_EQ(reserved_output_tokens(request, 1000, 4096), 150);
    request.reasoning.effort = chat::Effort::high;
    EXPECT_EQ(reserved_output_tokens(request, 1000, 4096), 150 + 3 * 4096);
    request.reasoning.budget_tokens = 60'000;
    EXPECT_EQ(reserved_output_tokens(request, 1000, 4096), 150 + 3 * 60'000);
    request.max_tokens = std::numeric_limits<std::int64_t>::max();
    EXPECT_GT(reserved_output_tokens(request, std::nullopt, 4096), 0);
}

}  // namespace
}  // namespace runnel::policy
