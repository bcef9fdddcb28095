#include "tools/rounds/hidden_turns.hpp"

#include "support/chat_requests.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr HiddenTurns::Clock::time_point start{};

// What the client sends back: its own call and its result.
chat::Request answered(std::string id) {
    chat::Message turn = testing::said(chat::Role::assistant, "both");
    turn.parts.push_back({chat::ToolCall{.id = id, .name = "theirs", .arguments_escaped = "{}"}});
    chat::Request request = testing::asking(
        {{.role = chat::Role::user}, std::move(turn), testing::result(std::move(id), "done")});
    request.messages[1].number = 1;  // nothing of the client's is before it
    return request;
}

// "id name arguments" of each call.
std::vector<std::string> calls_of(const chat::Message& turn) {
    std::vector<std::string> calls;
    turn.for_each_call([&](const chat::ToolCall& call) {
        calls.push_back(fmt::format("{} {} {}", call.id, call.name, call.arguments_escaped));
    });
    return calls;
}

const std::string mine = "mine";

class SomeHiddenTurns : public ::testing::Test {
protected:
    void SetUp() override {
        const RoundFilter::Call shown{"call_2", "theirs", "{}"};
        turns.remember(mine, {&shown, 1}, {{{"call_1", "gas", R"({\"a\":1})"}, "0.01"}}, start);
    }

    void recall(chat::Request* request, HiddenTurns::Clock::time_point now,
                const std::string& owner = mine) {
        turns.recall(request, TurnKeys(owner, *request), now);
    }

    HiddenTurns turns{10min, 1 << 20};
};

TEST_F(SomeHiddenTurns, ComeBackWithTheTurnTheyBelongTo) {
    chat::Request request = answered("call_2");
    recall(&request, start + 1min);
    ASSERT_EQ(request.messages.size(), 4u);
    EXPECT_THAT(calls_of(request.messages[1]),
                ElementsAre("call_2 theirs {}", R"(call_1 gas {\"a\":1})"));
    EXPECT_EQ(request.messages[1].parts[0].as<chat::Text>()->text_escaped, "both");
    EXPECT_EQ(request.messages[2].tool_call_id, "call_1");
    EXPECT_EQ(request.messages[2].parts[0].as<chat::Text>()->text_escaped, "0.01");
    EXPECT_EQ(request.messages[3].tool_call_id, "call_2");
}

TEST_F(SomeHiddenTurns, LeaveOthersAlone) {
    chat::Request request = answered("call_9");
    recall(&request, start);
    EXPECT_EQ(request.messages.size(), 3u);
    chat::Request late = answered("call_2");
    recall(&late, start + 11min);
    EXPECT_EQ(late.messages.size(), 3u) << "lost, and still a valid conversation";
}

TEST_F(SomeHiddenTurns, AreNotForOthersWhoseCallHasTheSameId) {
    chat::Request theirs = answered("call_2");
    recall(&theirs, start, "theirs");
    EXPECT_EQ(theirs.messages.size(), 3u);
    chat::Request renamed = answered("call_2");
    renamed.messages[1].for_each_call([](chat::ToolCall& call) { call.name = "another"; });
    recall(&renamed, start);
    EXPECT_EQ(renamed.messages.size(), 3u);
}

}  // namespace
}  // namespace runnel::tools
