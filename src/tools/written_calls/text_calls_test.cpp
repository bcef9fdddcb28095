#include "tools/written_calls/text_calls.hpp"

#include "json/text.hpp"
#include "support/logprobs.hpp"
#include "support/timeline_recorder.hpp"
#include "tools/rounds/round_filter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using namespace timeline;
using testing::logprob;
using testing::TimelineRecorder;

class TextCallsTest : public ::testing::Test {
protected:
    void say(std::string_view plain) {
        std::string escaped;
        json::append_escaped(escaped, plain);
        calls.on(Text{0, escaped});
    }

    TimelineRecorder client;
    int minted = 0;
    TextCalls calls{{"gas"}, [this] { return fmt::format("call_{}", ++minted); }, &client};
};

TEST_F(TextCallsTest, MakesTextACallLikeAnyOther) {
    calls.on(Started{});
    say("Let me ");
    say("look.\n<tool_");
    say(R"(call>{"name":"gas","arguments":{"a":1}}</tool_call>)");
    say("\n");
    calls.on(UsageReported{});
    calls.on(Finished{0, Finish::stop, "stop"});
    calls.on(Ended{});
    EXPECT_EQ(client.text(), "started\ntext 0 \"Let me \"\ntext 0 \"look.\\n\"\n"
                             "tool 0 #0 id=call_1 name=gas\nargs 0 #0 \"{\\\"a\\\":1}\"\n"
                             "tool_end 0 #0\nusage fresh=0 out=0\nfinish 0 tool_calls\nended\n");
}

TEST_F(TextCallsTest, NumbersTheCallsOfBothKindsInTheirOrder) {
    calls.on(Started{});
    say(R"({"name":"gas","arguments":{}})");
    calls.on(ToolStarted{0, 0, "native", "gas"});
    say(R"({"name":"gas","arguments":{}})");
    calls.on(ToolArguments{0, 0, "{}"});
    calls.on(ToolEnded{0, 0});
    calls.on(Finished{0, Finish::tool_calls, ""});
    calls.on(Ended{});
    EXPECT_EQ(client.text(), "started\ntool 0 #0 id=call_1 name=gas\nargs 0 #0 \"{}\"\n"
                             "tool_end 0 #0\ntool 0 #1 id=native name=gas\n"
                             "tool 0 #2 id=call_2 name=gas\nargs 0 #2 \"{}\"\ntool_end 0 #2\n"
                             "args 0 #1 \"{}\"\ntool_end 0 #1\nfinish 0 tool_calls\nended\n");
}

TEST_F(TextCallsTest, TellsWhatIsHeldBeforeWhatFollowsIt) {
    calls.on(Started{});
    say(R"({"name":)");
    calls.on(Reasoning{0, "hm"});
    say(R"("gas"})");
    calls.on(Finished{0, Finish::length, ""});
    calls.on(Ended{});
    EXPECT_EQ(client.text(), "started\ntext 0 \"{\\\"name\\\":\"\nreasoning 0 \"hm\"\n"
                             "text 0 \"\\\"gas\\\"}\"\nfinish 0 length\nended\n");
}

TEST_F(TextCallsTest, ForgetsAnAnswerThatIsAskedOfSomebodyElse) {
    calls.on(Started{});
    say(R"({"name":"gas",)");
    calls.on(Started{});
    say("hi");
    calls.on(Finished{0, Finish::stop, ""});
    EXPECT_EQ(client.text(), "started\nstarted\ntext 0 \"hi\"\nfinish 0 stop\n");
}

TEST_F(TextCallsTest, KeepsChoicesApart) {
    calls.on(Started{});
    calls.on(Text{0, R"({\"name\":)"});
    calls.on(Text{1, "hello"});
    calls.on(Text{0, R"(\"gas\",\"arguments\":{}})"});
    calls.on(Finished{1, Finish::stop, ""});
    calls.on(Finished{0, Finish::stop, ""});
    EXPECT_EQ(client.text(), "started\ntext 1 \"hello\"\ntool 0 #0 id=call_1 name=gas\n"
                             "args 0 #0 \"{}\"\ntool_end 0 #0\nfinish 1 stop\n"
                             "finish 0 tool_calls\n");
}

TEST_F(TextCallsTest, LeavesLogprobsWithTheTextTheyBelongTo) {
    calls.on(Started{});
    calls.on(logprob("[1]"));
    say("a ");
    calls.on(logprob("[2]"));
    say("{");
    calls.on(logprob("[3]"));
    say("b");
    calls.on(logprob("[4]"));
    say(R"({"name":"gas","arguments":{}})");
    calls.on(Finished{0, Finish::stop, ""});
    EXPECT_EQ(client.text(),
              "started\nlogprobs 0 text \"[1]\":-1\ntext 0 \"a \"\nlogprobs 0 text "
              "\"[2]\":-1\nlogprobs 0 text \"[3]\":-1\n"
              "text 0 \"{\"\ntext 0 \"b\"\ntool 0 #0 id=call_1 name=gas\nargs 0 #0 \"{}\"\n"
              "tool_end 0 #0\nfinish 0 tool_calls\n");
}

TEST_F(TextCallsTest, TellsHeldTextBeforeTheEndOfItsItem) {
    calls.on(Started{});
    say("{");
    calls.on(ItemEnded{0});
    say("{");
    calls.on(ReasoningSigned{0, "s", "a/b"});
    EXPECT_EQ(client.text(), "started\ntext 0 \"{\"\nitem_end 0\ntext 0 \"{\"\n"
                             "reasoning_signed 0 \"s\" by a/b\n");
}

// As the tool loop has them: the gateway's own calls are not for the client.
TEST_F(TextCallsTest, GivesTheLoopItsCalls) {
    TimelineRecorder shown;
    RoundFilter rounds([](std::string_view name) { return name == "gas"; }, &shown);
    TextCalls filter({"gas", "theirs"}, [] { return "call_x"; }, &rounds);
    filter.on(Started{});
    filter.on(Text{0, R"(So: [{\"name\":\"gas\",\"arguments\":{}},)"});
    filter.on(Text{0, R"({\"name\":\"theirs\",\"parameters\":{}}])"});
    filter.on(Finished{0, Finish::stop, ""});
    filter.on(Ended{});
    ASSERT_EQ(rounds.own_calls().size(), 1u);
    EXPECT_EQ(rounds.own_calls()[0].name, "gas");
    EXPECT_EQ(rounds.client_calls().size(), 1u);
    EXPECT_EQ(rounds.text_escaped(), "So: ");
}

}  // namespace
}  // namespace runnel::tools
