#include "tools/rounds/turn_keys.hpp"

#include "support/openai_requests.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace runnel::tools {
namespace {

const std::string asked = R"({"role":"user","content":"What is it?"})";
const std::string called =
    R"({"role":"assistant","content":null,"tool_calls":[{"id":"functions.f:0","type":"function","function":{"name":"f","arguments":"{\"city\":\"Zürich\"}"}}]})";
const std::string answered =
    R"({"role":"tool","tool_call_id":"functions.f:0","content":"it is that"})";

chat::Request request_of(const std::string& messages) {
    return testing::openai_request(fmt::format(R"({{"model":"m","messages":[{}]}})", messages));
}

// The turn_key of the turn that the messages are answered with.
std::string key_behind(const std::string& messages, std::string_view owner = "me") {
    return std::string(TurnKeys(owner, request_of(messages)).next());
}

TEST(TurnKeys, ATurnIsFoundAgainWhenTheClientComesBackWithIt) {
    const std::string turn_key = key_behind(asked);
    const chat::Request later = request_of(fmt::format("{},{},{}", asked, called, answered));
    const TurnKeys turn_keys("me", later);
    EXPECT_EQ(turn_keys.of(later.messages[1]), turn_key);
    EXPECT_NE(turn_keys.next(), turn_key);
}

TEST(TurnKeys, CallersAndConversationsAreApart) {
    const std::string history = fmt::format("{},{},{}", asked, called, answered);
    const std::set<std::string> turn_keys{
        key_behind(asked),
        key_behind(asked, "you"),
        key_behind(R"({"role":"user","content":"What is that?"})"),
        key_behind(R"({"role":"system","content":"For A."},)" + asked),
        key_behind(R"({"role":"system","content":"For B."},)" + asked),
        key_behind(R"({"role":"user","content":"What is ","name":"it?"})"),
        key_behind(history),
        key_behind(history + ',' + called + ',' + answered),
        key_behind(
            R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a/1"}}]})"),
        key_behind(
            R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a/2"}}]})")};
    EXPECT_EQ(turn_keys.size(), 10U);
}

TEST(TurnKeys, WhatClientsChangeWithoutMeaningItMakesNoDifference) {
    const std::string history = fmt::format("{},{},{}", asked, called, answered);
    const std::string rewritten =
        R"({"content":[{"type":"text","text":"What is \u0069t?","cache_control":{"type":"ephemeral"}}],"role":"user"},)"
        R"({"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"type":"function","function":{"arguments":"{ \"city\" : \"Z\\u00fcrich\" }","name":"f"},"id":"functions.f:0"}]},)"
        R"({"tool_call_id":"functions.f:0","role":"tool","content":[{"type":"text","text":"it is that"}]})";
    EXPECT_EQ(key_behind(history), key_behind(rewritten));
}

TEST(TurnKeys, WhatTheGatewayAddsMakesNoDifference) {
    chat::Request request = request_of(fmt::format("{},{},{}", asked, called, answered));
    const TurnKeys before("me", request);
    request.messages.insert(request.messages.begin(), chat::Message{.role = chat::Role::system});
    const TurnKeys after("me", request);
    EXPECT_EQ(after.next(), before.next());
    EXPECT_EQ(before.of(request.messages[2]), key_behind(asked));
    // A turn of the gateway's own rounds is a part of the answer.
    EXPECT_EQ(after.of(chat::Message{.role = chat::Role::assistant}), before.next());
}

TEST(TurnKeys, ThereAreNoneWithoutAnOwner) {
    const TurnKeys none;
    EXPECT_EQ(none.next(), "");
    const chat::Request request = request_of(asked + ',' + called);
    EXPECT_EQ(none.of(request.messages[1]), "");
}

}  // namespace
}  // namespace runnel::tools
