#include "exchange/operation_of.hpp"

#include "support/chat_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using ::testing::ElementsAre;

TEST(Operation, IsWhatIsAskedWithoutWhatIsSaid) {
    chat::Request request = testing::hello();
    request.model = "fast";
    request.streaming = chat::Streaming::yes;
    request.n = 2;
    request.reasoning.budget_tokens = 3000;
    request.gateway.fallback = {"slow"};
    request.gateway.strict_model = chat::Wish::yes;
    const chat::Operation operation = operation_of(request);
    EXPECT_EQ(operation.model, "fast");
    EXPECT_TRUE(operation.streams());
    EXPECT_EQ(operation.choices, 2);
    EXPECT_EQ(operation.max_tokens, 100);
    EXPECT_EQ(operation.thinking_tokens, 3000);
    EXPECT_GT(operation.input_tokens, 0);
    EXPECT_THAT(operation.fallback, ElementsAre("slow"));
    EXPECT_TRUE(operation.strict_model);
}

TEST(Operation, IsOnePlainAnswerWhereNothingElseIsSaid) {
    const chat::Operation operation = operation_of({});
    EXPECT_FALSE(operation.streams());
    EXPECT_EQ(operation.choices, 1);
    EXPECT_FALSE(operation.max_tokens);
    EXPECT_FALSE(operation.strict_model);
    EXPECT_FALSE(operation.needs.tools);
    EXPECT_FALSE(operation.needs.vision);
}

TEST(Operation, NeedsWhatTheRequestHas) {
    chat::Request request = testing::hello();
    request.tools.push_back(testing::tool("weather"));
    EXPECT_TRUE(operation_of(request).needs.tools);
    request.tools.clear();
    request.gateway.builtin_tools = {"clock"};
    EXPECT_TRUE(operation_of(request).needs.tools);

    request.messages.push_back(
        testing::said(chat::Role::user, {testing::text("this"), testing::image("https://a/1")}));
    EXPECT_TRUE(operation_of(request).needs.vision);
}

}  // namespace
}  // namespace runnel::exchange
