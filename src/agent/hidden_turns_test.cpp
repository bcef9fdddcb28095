#include "agent/hidden_turns.hpp"

#include <gtest/gtest.h>

namespace runnel::agent {
namespace {

using namespace std::chrono_literals;

constexpr HiddenTurns::Clock::time_point start{};

// What the client sends back: its own call and its result.
chat::Request answered(std::string id) {
    chat::Request request;
    chat::Message said{.role = chat::Role::assistant, .sent = "{}"};
    said.parts.push_back({.kind = chat::Part::Kind::text, .text_escaped = "both"});
    said.tool_calls.push_back({id, "theirs", "{}", {}});
    chat::Message result{.role = chat::Role::tool};
    result.tool_call_id = id;
    request.messages.push_back({.role = chat::Role::user});
    request.messages.push_back(std::move(said));
    request.messages.push_back(std::move(result));
    return request;
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
        turns.recall(request, ConversationPlaces(owner, *request), now);
    }

    HiddenTurns turns{10min, 1 << 20};
};

TEST_F(SomeHiddenTurns, ComeBackWithTheTurnTheyBelongTo) {
    chat::Request request = answered("call_2");
    recall(&request, start + 1min);
    ASSERT_EQ(request.messages.size(), 4u);
    const chat::Message& said = request.messages[1];
    ASSERT_EQ(said.tool_calls.size(), 2u);
    EXPECT_EQ(
        said.raw,
        R"({"role":"assistant","content":"both","tool_calls":[{"id":"call_2","type":"function","function":{"name":"theirs","arguments":"{}"}},{"id":"call_1","type":"function","function":{"name":"gas","arguments":"{\"a\":1}"}}]})");
    EXPECT_EQ(request.messages[2].tool_call_id, "call_1");
    EXPECT_EQ(request.messages[2].parts[0].text_escaped, "0.01");
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
    renamed.messages[1].tool_calls[0].name = "another";
    recall(&renamed, start);
    EXPECT_EQ(renamed.messages.size(), 3u);
}

}  // namespace
}  // namespace runnel::agent
