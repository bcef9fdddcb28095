#include "tools/rounds/conversation.hpp"

#include "support/chat_requests.hpp"

#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

std::string_view text_of(const chat::Message& message) {
    return message.parts.at(0).as<chat::Text>()->text_escaped;
}

TEST(Conversation, OffersToolsBesideTheClients) {
    chat::Request request;
    request.tools.push_back(testing::tool("theirs"));
    const ToolSpec spec{"gas", "the \"price\"", R"({"type":"object"})"};
    add_tools(&request, {&spec, 1});
    ASSERT_EQ(request.tools.size(), 2u);
    EXPECT_EQ(request.tools[0].name, "theirs");
    EXPECT_EQ(request.tools[1].name, "gas");
    EXPECT_EQ(request.tools[1].kind, chat::Tool::Kind::function);
    EXPECT_EQ(request.tools[1].parameters_raw, R"({"type":"object"})");
    EXPECT_EQ(request.tools[1].description_escaped, R"(the \"price\")");
}

TEST(Conversation, PutsSystemTextsBeforeOrBehindTheClients) {
    chat::Request request = testing::asking(
        {testing::said(chat::Role::system, "Be brief."), testing::said(chat::Role::user, "Hi")});
    add_system_text(&request, "Be \"kind\".", SystemPlace::first);
    add_system_text(&request, "Answer in JSON.", SystemPlace::last);
    ASSERT_EQ(request.messages.size(), 4u);
    EXPECT_EQ(text_of(request.messages[0]), R"(Be \"kind\".)");
    EXPECT_EQ(text_of(request.messages[1]), "Be brief.");
    EXPECT_EQ(text_of(request.messages[2]), "Answer in JSON.");
    EXPECT_EQ(request.messages[2].role, chat::Role::system);
    EXPECT_EQ(request.messages[2].number, 0u) << "it is not the client's";
}

TEST(Conversation, WhoHadToCallAToolMayAnswerAfterwards) {
    chat::Request request;
    allow_answer(&request);
    EXPECT_EQ(request.tool_choice.kind, chat::ToolChoice::Kind::absent);
    request.tool_choice.kind = chat::ToolChoice::Kind::required;
    allow_answer(&request);
    EXPECT_EQ(request.tool_choice.kind, chat::ToolChoice::Kind::automatic);
}

TEST(Conversation, AddsATurnWithItsResults) {
    chat::Request request;
    const RoundFilter::Call calls[] = {{"call_1", "gas", R"({\"chain\":\"base\"})"},
                                       {"call_2", "gas", "{}"}};
    const ToolOutcome outcomes[] = {{ToolOutcome::Kind::completed, R"({"gwei":1})", "{}"},
                                    {ToolOutcome::Kind::failed, "no such chain", "\"\""}};
    add_turn(&request, {"let me look", "hm", calls, outcomes});
    ASSERT_EQ(request.messages.size(), 3u);
    const chat::Message& said = request.messages[0];
    EXPECT_EQ(said.role, chat::Role::assistant);
    ASSERT_EQ(said.parts.size(), 4u);
    EXPECT_EQ(said.parts[0].as<chat::Reasoning>()->text_escaped, "hm");
    EXPECT_EQ(said.parts[1].as<chat::Text>()->text_escaped, "let me look");
    const auto* call = said.parts[2].as<chat::ToolCall>();
    EXPECT_EQ(call->id, "call_1");
    EXPECT_EQ(call->name, "gas");
    EXPECT_EQ(call->arguments_escaped, R"({\"chain\":\"base\"})");
    EXPECT_EQ(said.parts[3].as<chat::ToolCall>()->id, "call_2");
    EXPECT_EQ(request.messages[1].role, chat::Role::tool);
    EXPECT_EQ(request.messages[1].tool_call_id, "call_1");
    EXPECT_EQ(text_of(request.messages[1]), R"({\"gwei\":1})");
    EXPECT_EQ(request.messages[2].tool_call_id, "call_2");
    EXPECT_EQ(text_of(request.messages[2]), "no such chain");
}

TEST(Conversation, ATurnWithoutTextHasNone) {
    chat::Request request;
    const RoundFilter::Call call{"call_1", "gas", "{}"};
    const ToolOutcome outcome{ToolOutcome::Kind::completed, "1", "1"};
    add_turn(&request, {"", "", {&call, 1}, {&outcome, 1}});
    ASSERT_EQ(request.messages[0].parts.size(), 1u);
    EXPECT_TRUE(request.messages[0].has_calls());
}

TEST(Conversation, AddsAnAnswerAndWhatTheUserSaysToIt) {
    chat::Request request;
    add_reply_to(&request, R"(\"a\")", "Not \"a\".");
    ASSERT_EQ(request.messages.size(), 2u);
    EXPECT_EQ(text_of(request.messages[0]), R"(\"a\")");
    EXPECT_EQ(text_of(request.messages[1]), R"(Not \"a\".)");
    add_reply_to(&request, "", "Well?");
    EXPECT_EQ(request.messages.size(), 3u);
}

TEST(Conversation, ForbidsTools) {
    chat::Request request;
    forbid_tools(&request);
    EXPECT_EQ(request.tool_choice.kind, chat::ToolChoice::Kind::none);
}

}  // namespace
}  // namespace runnel::tools
