#include "tools/rounds/round_filter.hpp"

#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using namespace timeline;
using testing::TimelineRecorder;

class ARoundFilter : public ::testing::Test {
protected:
    static void call(Sink& sink, int index, std::string_view id, std::string_view name,
                     std::string_view arguments) {
        sink.on(ToolStarted{0, index, id, name});
        sink.on(ToolArguments{0, index, arguments});
        sink.on(ToolEnded{0, index});
    }

    static void end(Sink& sink, Finish finish, std::int64_t input, std::int64_t output) {
        sink.on(UsageReported{{.fresh_input = input, .output = output}});
        sink.on(Finished{0, finish, "native"});
        sink.on(Ended{});
    }

    TimelineRecorder client;
    RoundFilter filter{[](std::string_view name) { return name.starts_with("own_"); }, &client};
};

TEST_F(ARoundFilter, MakesOneAnswerOfSeveralRounds) {
    filter.on(Started{});
    filter.on(Text{0, "let me look"});
    call(filter, 0, "call_1", "own_gas", "{}");
    end(filter, Finish::tool_calls, 20, 6);
    ASSERT_EQ(filter.own_calls().size(), 1u);
    EXPECT_EQ(filter.own_calls()[0].id, "call_1");
    EXPECT_EQ(filter.own_calls()[0].arguments_escaped, "{}");
    EXPECT_EQ(filter.text_escaped(), "let me look");
    filter.close_round();

    filter.on(Started{});
    filter.on(Text{0, "0.01 gwei"});
    end(filter, Finish::stop, 35, 4);
    EXPECT_TRUE(filter.own_calls().empty());
    filter.end();
    EXPECT_EQ(client.text(),
              "started\ntext 0 \"let me look\"\nhold_over tool_called\nstarted\ntext 0 "
              "\"0.01 gwei\"\nfinish 0 stop\n"
              "usage fresh=55 out=10\nended\n");
}

TEST_F(ARoundFilter, NumbersTheClientsCallsAnew) {
    filter.on(Started{});
    call(filter, 0, "call_1", "own_gas", "{}");
    call(filter, 1, "call_2", "theirs", R"({\"a\":1})");
    call(filter, 2, "call_3", "own_gas", "{}");
    call(filter, 3, "call_4", "theirs", "{}");
    end(filter, Finish::tool_calls, 1, 1);
    EXPECT_EQ(filter.own_calls().size(), 2u);
    ASSERT_EQ(filter.client_calls().size(), 2u);
    EXPECT_EQ(filter.client_calls()[0].arguments_escaped, R"({\"a\":1})");
    filter.end();
    EXPECT_EQ(
        client.text(),
        "started\nhold_over tool_called\ntool 0 #0 id=call_2 name=theirs\nargs 0 #0 "
        "\"{\\\"a\\\":1}\"\ntool_end 0 #0\n"
        "hold_over tool_called\ntool 0 #1 id=call_4 name=theirs\nargs 0 #1 \"{}\"\ntool_end 0 #1\n"
        "finish 0 tool_calls\nusage fresh=1 out=1\nended\n");
}

TEST_F(ARoundFilter, ForgetsARoundThatIsAskedOfSomebodyElse) {
    filter.on(Started{});
    call(filter, 0, "call_1", "own_gas", "{}");
    filter.on(UsageReported{{.fresh_input = 9}});
    filter.on(Started{});
    filter.on(Text{0, "hi"});
    end(filter, Finish::stop, 1, 1);
    EXPECT_TRUE(filter.own_calls().empty());
    filter.end();
    EXPECT_EQ(client.text(),
              "started\nhold_over tool_called\nstarted\ntext 0 \"hi\"\nfinish 0 stop\nusage "
              "fresh=1 out=1\nended\n");
}

TEST_F(ARoundFilter, EndsAsItsLastRoundDid) {
    filter.on(Started{});
    filter.on(Text{0, "hi"});
    filter.on(Finished{0, Finish::stop, "stop_sequence", "END"});
    filter.on(Ended{});
    filter.end();
    EXPECT_TRUE(client.text().ends_with("finish 0 stop at \"END\"\nended\n")) << client.text();
}

TEST_F(ARoundFilter, DoesNotEndWithCallsThatNobodyCanMake) {
    filter.on(Started{});
    call(filter, 0, "call_1", "own_gas", "{}");
    end(filter, Finish::tool_calls, 1, 1);
    filter.end();
    EXPECT_TRUE(client.text().contains("finish 0 stop"));
}

}  // namespace
}  // namespace runnel::tools
