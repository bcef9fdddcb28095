#include "agent/conversation.hpp"

#include <gtest/gtest.h>

namespace runnel::agent {
namespace {

std::string_view field(const chat::Request& request, std::string_view name) {
    for (const chat::Field& field : request.fields)
        if (field.name == name) return field.raw;
    return {};
}

TEST(Conversation, OffersToolsBesideTheClients) {
    chat::Request request;
    request.fields.push_back({"tools", R"([{"type":"function","function":{"name":"theirs"}}])"});
    request.tools.push_back(
        {.name = "theirs", .raw = R"({"type":"function","function":{"name":"theirs"}})"});
    const ToolSpec spec{"gas", "the \"price\"", R"({"type":"object"})"};
    add_tools(&request, {&spec, 1});
    ASSERT_EQ(request.tools.size(), 2u);
    EXPECT_EQ(request.tools[1].name, "gas");
    EXPECT_EQ(request.tools[1].parameters_raw, R"({"type":"object"})");
    EXPECT_EQ(request.tools[1].description_escaped, R"(the \"price\")");
    EXPECT_EQ(
        field(request, "tools"),
        R"([{"type":"function","function":{"name":"theirs"}},{"type":"function","function":{"name":"gas","description":"the \"price\"","parameters":{"type":"object"}}}])");
}

TEST(Conversation, OffersToolsWhereTheClientHasNone) {
    chat::Request request;
    const ToolSpec spec{"gas", "", R"({"type":"object"})"};
    add_tools(&request, {&spec, 1});
    EXPECT_EQ(field(request, "tools"),
              R"([{"type":"function","function":{"name":"gas","parameters":{"type":"object"}}}])");
}

TEST(Conversation, WhoHadToCallAToolMayAnswerAfterwards) {
    chat::Request request;
    allow_answer(&request);
    EXPECT_EQ(request.tool_choice.kind, chat::ToolChoice::Kind::absent);
    request.tool_choice.kind = chat::ToolChoice::Kind::required;
    request.fields.push_back({"tool_choice", "\"required\""});
    allow_answer(&request);
    EXPECT_EQ(request.tool_choice.kind, chat::ToolChoice::Kind::automatic);
    EXPECT_EQ(field(request, "tool_choice"), "\"auto\"");
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
    EXPECT_EQ(
        said.raw,
        R"({"role":"assistant","content":"let me look","tool_calls":[{"id":"call_1","type":"function","function":{"name":"gas","arguments":"{\"chain\":\"base\"}"}},{"id":"call_2","type":"function","function":{"name":"gas","arguments":"{}"}}]})");
    EXPECT_EQ(said.parts[0].text_escaped, "let me look");
    EXPECT_EQ(said.reasoning_escaped, "hm");
    EXPECT_EQ(said.tool_calls[0].arguments_escaped, R"({\"chain\":\"base\"})");
    EXPECT_EQ(request.messages[1].raw,
              R"({"role":"tool","tool_call_id":"call_1","content":"{\"gwei\":1}"})");
    EXPECT_EQ(request.messages[2].tool_call_id, "call_2");
    EXPECT_EQ(request.messages[2].parts[0].text_escaped, "no such chain");
}

TEST(Conversation, ATurnWithoutTextHasNone) {
    chat::Request request;
    const RoundFilter::Call call{"call_1", "gas", "{}"};
    const ToolOutcome outcome{ToolOutcome::Kind::completed, "1", "1"};
    add_turn(&request, {"", "", {&call, 1}, {&outcome, 1}});
    EXPECT_TRUE(request.messages[0].raw.contains(R"("content":null)"));
    EXPECT_TRUE(request.messages[0].parts.empty());
}

TEST(Conversation, ForbidsTools) {
    chat::Request request;
    forbid_tools(&request);
    EXPECT_EQ(request.tool_choice.kind, chat::ToolChoice::Kind::none);
    EXPECT_EQ(field(request, "tool_choice"), "\"none\"");
}

}  // namespace
}  // namespace runnel::agent
