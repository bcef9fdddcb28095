#include "exchange/continuity.hpp"

#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using namespace std::chrono_literals;

constexpr Continuity::Clock::time_point start{};

chat::Request asking_about(std::initializer_list<const char*> ids) {
    chat::Request request;
    chat::Message message{.role = chat::Role::assistant, .sent = "{}"};
    for (const char* id : ids) message.tool_calls.push_back({.id = id, .name = "f"});
    request.messages.push_back(std::move(message));
    return request;
}

// Theirs who have asked nothing yet.
const std::string mine = "mine";

void recall(Continuity& continuity, chat::Request* request, Continuity::Clock::time_point now,
            const std::string& owner = mine) {
    continuity.recall(request, agent::ConversationPlaces(owner, *request), now);
}

TEST(Continuity, GivesTheStateBackWithTheCallItBelongsTo) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "call_b", {"anthropic/m", "[1]"}, start);
    chat::Request request = asking_about({"call_a", "call_b"});
    recall(continuity, &request, start + 1min);
    const auto& kept = request.messages[0].kept_state;
    ASSERT_EQ(kept.size(), 2U);
    EXPECT_EQ(kept[0].raw, "");
    EXPECT_EQ(kept[1].raw, "[1]");
    EXPECT_EQ(kept[1].owner, "anthropic/m");
}

TEST(Continuity, ForgetsAfterItsLifetime) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "call_a", {"o", "1"}, start);
    chat::Request request = asking_about({"call_a"});
    recall(continuity, &request, start + 11min);
    EXPECT_TRUE(request.messages[0].kept_state.empty());
}

TEST(Continuity, DropsTheOldestWhenItIsFull) {
    Continuity continuity(10min, 4096);
    for (int i = 0; i < 100; ++i)
        continuity.remember(mine, "call_" + std::to_string(i), {"o", std::string(200, 'x')}, start);
    chat::Request request = asking_about({"call_0", "call_99"});
    recall(continuity, &request, start);
    ASSERT_EQ(request.messages[0].kept_state.size(), 2U);
    EXPECT_EQ(request.messages[0].kept_state[0].raw, "");
    EXPECT_EQ(request.messages[0].kept_state[1].raw.size(), 200U);
}

TEST(Continuity, RemembersTheLatestStateOfACall) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "call_a", {"o", "1"}, start);
    continuity.remember(mine, "call_a", {"o", "2"}, start);
    chat::Request request = asking_about({"call_a"});
    recall(continuity, &request, start);
    EXPECT_EQ(request.messages[0].kept_state[0].raw, "2");
}

TEST(Continuity, GivesNothingToOthersWhoseCallHasTheSameId) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "functions.f:0", {"o", "1"}, start);
    chat::Request request = asking_about({"functions.f:0"});
    recall(continuity, &request, start, "theirs");
    EXPECT_TRUE(request.messages[0].kept_state.empty());
}

TEST(Continuity, LeavesATurnWhatItHasWhenItsIdIsUsedAgain) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "call_a", {"o", "1"}, start);
    chat::Request request = asking_about({"call_a"});
    recall(continuity, &request, start);
    continuity.remember(mine, "call_a", {"o", "2"}, start);
    recall(continuity, &request, start);
    EXPECT_EQ(request.messages[0].kept_state[0].raw, "1");
}

TEST(Continuity, KeepsNothingWithoutAPlace) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember("", "call_a", {"o", "1"}, start);
    chat::Request request = asking_about({"call_a"});
    recall(continuity, &request, start, "");
    EXPECT_TRUE(request.messages[0].kept_state.empty());
}

}  // namespace
}  // namespace runnel::exchange
