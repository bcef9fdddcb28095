#include "exchange/continuity.hpp"

#include "support/chat_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr Continuity::Clock::time_point start{};

chat::Request asking_about(std::initializer_list<std::string> ids) {
    chat::Message turn{.role = chat::Role::assistant, .number = 1};
    for (const std::string& id : ids) turn.parts.push_back({chat::ToolCall{.id = id, .name = "f"}});
    return testing::asking({std::move(turn)});
}

// What came back with the calls, in their order; empty: nothing.
std::vector<std::string> states_of(const chat::Request& request) {
    std::vector<std::string> states;
    request.messages[0].for_each_call([&](const chat::ToolCall& call) {
        states.push_back(call.state ? call.state->raw : std::string());
    });
    return states;
}

// Theirs who have asked nothing yet.
const std::string mine = "mine";

void recall(Continuity& continuity, chat::Request* request, Continuity::Clock::time_point now,
            const std::string& owner = mine) {
    continuity.recall(request, tools::TurnKeys(owner, *request), now);
}

TEST(Continuity, GivesTheStateBackWithTheCallItBelongsTo) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "call_b", {"anthropic/m", "[1]"}, start);
    chat::Request request = asking_about({"call_a", "call_b"});
    recall(continuity, &request, start + 1min);
    EXPECT_THAT(states_of(request), ElementsAre("", "[1]"));
    EXPECT_EQ(request.messages[0].parts[1].as<chat::ToolCall>()->state->owner, "anthropic/m");
}

TEST(Continuity, ForgetsAfterItsLifetime) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "call_a", {"o", "1"}, start);
    chat::Request request = asking_about({"call_a"});
    recall(continuity, &request, start + 11min);
    EXPECT_THAT(states_of(request), ElementsAre(""));
}

TEST(Continuity, DropsTheOldestWhenItIsFull) {
    Continuity continuity(10min, 4096);
    for (int i = 0; i < 100; ++i)
        continuity.remember(mine, "call_" + std::to_string(i), {"o", std::string(200, 'x')}, start);
    chat::Request request = asking_about({"call_0", "call_99"});
    recall(continuity, &request, start);
    EXPECT_THAT(states_of(request), ElementsAre("", std::string(200, 'x')));
}

TEST(Continuity, RemembersTheLatestStateOfACall) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "call_a", {"o", "1"}, start);
    continuity.remember(mine, "call_a", {"o", "2"}, start);
    chat::Request request = asking_about({"call_a"});
    recall(continuity, &request, start);
    EXPECT_THAT(states_of(request), ElementsAre("2"));
}

TEST(Continuity, GivesNothingToOthersWhoseCallHasTheSameId) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "functions.f:0", {"o", "1"}, start);
    chat::Request request = asking_about({"functions.f:0"});
    recall(continuity, &request, start, "theirs");
    EXPECT_THAT(states_of(request), ElementsAre(""));
}

TEST(Continuity, LeavesATurnWhatItHasWhenItsIdIsUsedAgain) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember(mine, "call_a", {"o", "1"}, start);
    chat::Request request = asking_about({"call_a"});
    recall(continuity, &request, start);
    continuity.remember(mine, "call_a", {"o", "2"}, start);
    recall(continuity, &request, start);
    EXPECT_THAT(states_of(request), ElementsAre("1"));
}

TEST(Continuity, KeepsNothingWithoutAPlace) {
    Continuity continuity(10min, 1 << 20);
    continuity.remember("", "call_a", {"o", "1"}, start);
    chat::Request request = asking_about({"call_a"});
    recall(continuity, &request, start, "");
    EXPECT_THAT(states_of(request), ElementsAre(""));
}

}  // namespace
}  // namespace runnel::exchange
