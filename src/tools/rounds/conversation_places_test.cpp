#include "tools/rounds/conversation_places.hpp"

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

// The place of the turn that the messages are answered with.
std::string place_behind(const std::string& messages, std::string_view owner = "me") {
    return std::string(ConversationPlaces(owner, request_of(messages)).next());
}

TEST(ConversationPlaces, ATurnIsFoundAgainWhenTheClientComesBackWithIt) {
    const std::string place = place_behind(asked);
    const chat::Request later = request_of(fmt::format("{},{},{}", asked, called, answered));
    const ConversationPlaces places("me", later);
    EXPECT_EQ(places.of(later.messages[1]), place);
    EXPECT_NE(places.next(), place);
}

TEST(ConversationPlaces, CallersAndConversationsAreApart) {
    const std::string history = fmt::format("{},{},{}", asked, called, answered);
    const std::set<std::string> places{
        place_behind(asked),
        place_behind(asked, "you"),
        place_behind(R"({"role":"user","content":"What is that?"})"),
        place_behind(R"({"role":"system","content":"For A."},)" + asked),
        place_behind(R"({"role":"system","content":"For B."},)" + asked),
        place_behind(R"({"role":"user","content":"What is ","name":"it?"})"),
        place_behind(history),
        place_behind(history + ',' + called + ',' + answered),
        place_behind(
            R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a/1"}}]})"),
        place_behind(
            R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a/2"}}]})")};
    EXPECT_EQ(places.size(), 10U);
}

TEST(ConversationPlaces, WhatClientsChangeWithoutMeaningItMakesNoDifference) {
    const std::string history = fmt::format("{},{},{}", asked, called, answered);
    const std::string rewritten =
        R"({"content":[{"type":"text","text":"What is \u0069t?","cache_control":{"type":"ephemeral"}}],"role":"user"},)"
        R"({"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"type":"function","function":{"arguments":"{ \"city\" : \"Z\\u00fcrich\" }","name":"f"},"id":"functions.f:0"}]},)"
        R"({"tool_call_id":"functions.f:0","role":"tool","content":[{"type":"text","text":"it is that"}]})";
    EXPECT_EQ(place_behind(history), place_behind(rewritten));
}

TEST(ConversationPlaces, WhatTheGatewayAddsMakesNoDifference) {
    chat::Request request = request_of(fmt::format("{},{},{}", asked, called, answered));
    const ConversationPlaces before("me", request);
    request.messages.insert(request.messages.begin(), chat::Message{.role = chat::Role::system});
    const ConversationPlaces after("me", request);
    EXPECT_EQ(after.next(), before.next());
    EXPECT_EQ(before.of(request.messages[2]), place_behind(asked));
    // A turn of the gateway's own rounds is a part of the answer.
    EXPECT_EQ(after.of(chat::Message{.role = chat::Role::assistant}), before.next());
}

TEST(ConversationPlaces, ThereAreNoneWithoutAnOwner) {
    const ConversationPlaces none;
    EXPECT_EQ(none.next(), "");
    const chat::Request request = request_of(asked + ',' + called);
    EXPECT_EQ(none.of(request.messages[1]), "");
}

}  // namespace
}  // namespace runnel::tools
