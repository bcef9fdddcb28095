#include "exchange/attempts/answer_gate.hpp"

#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using api::Envelope;
using testing::TimelineRecorder;
using namespace timeline;

class AnAnswerGate : public ::testing::Test {
protected:
    AnswerGate self_opening(Envelope::Reasoning reasoning = Envelope::Reasoning::shown) {
        return {reasoning, [this] {
                    ++opened;
                    return static_cast<Sink*>(&client);
                }};
    }

    TimelineRecorder client;
    int opened = 0;
};

TEST_F(AnAnswerGate, HoldsBackWhatNobodySeesUntilSomethingIsSaid) {
    AnswerGate gate = self_opening();
    gate.on(Started{});
    gate.on(UsageReported{{.fresh_input = 7}});
    EXPECT_EQ(client.text(), "");
    EXPECT_FALSE(gate.spoke());
    gate.on(Text{0, "Hi"});
    gate.on(Text{0, "!"});
    EXPECT_EQ(client.text(), "started\nusage fresh=7 out=0\ntext 0 \"Hi\"\ntext 0 \"!\"\n");
    EXPECT_EQ(opened, 1);
}

TEST_F(AnAnswerGate, HoldsBackReasoningThatOnlyItsIssuerCanRead) {
    AnswerGate gate = self_opening();
    gate.on(Started{});
    gate.on(ReasoningEncrypted{0, "d", "a/b"});
    EXPECT_FALSE(gate.is_open());
    gate.on(Text{0, "Hi"});
    EXPECT_EQ(client.text(), "started\nreasoning_encrypted 0 \"d\" by a/b\ntext 0 \"Hi\"\n");
}

TEST_F(AnAnswerGate, KeepsAFailureForWhoeverDecides) {
    AnswerGate gate = self_opening();
    gate.on(Started{});
    gate.on(Failed{{ErrorKind::upstream_overloaded, "busy"}});
    gate.on(Ended{});
    EXPECT_EQ(client.text(), "");
    ASSERT_TRUE(gate.failure());
    EXPECT_EQ(gate.failure()->kind, ErrorKind::upstream_overloaded);
    EXPECT_FALSE(gate.is_empty());
}

TEST_F(AnAnswerGate, TellsNeitherFailureNorEndOfAnAnswerThatBrokeOff) {
    AnswerGate gate = self_opening();
    gate.on(Text{0, "Hel"});
    gate.on(Failed{{ErrorKind::upstream_truncated, "cut"}});
    gate.on(Ended{});
    EXPECT_EQ(client.text(), "started\ntext 0 \"Hel\"\n");
    EXPECT_TRUE(gate.spoke());
    EXPECT_TRUE(gate.failure());
}

TEST_F(AnAnswerGate, ThoughtsThatAreNotShownDoNotOpenIt) {
    AnswerGate gate = self_opening(Envelope::Reasoning::hidden);
    gate.on(Reasoning{0, "hm"});
    EXPECT_EQ(opened, 0);
    gate.on(Finished{0, Finish::stop, "stop"});
    gate.on(Ended{});
    EXPECT_EQ(opened, 1) << "an answer that was thought about is no empty one";
    EXPECT_FALSE(gate.is_empty());
}

TEST_F(AnAnswerGate, KnowsAnAnswerThatSaysNothing) {
    AnswerGate gate = self_opening();
    gate.on(Started{});
    gate.on(Finished{0, Finish::stop, "stop"});
    gate.on(UsageReported{{.fresh_input = 7}});
    gate.on(Ended{});
    EXPECT_TRUE(gate.is_empty());
    EXPECT_EQ(client.text(), "");
    gate.open(&client);
    EXPECT_EQ(client.text(), "started\nfinish 0 stop\nusage fresh=7 out=0\nended\n");
}

TEST_F(AnAnswerGate, AFilterOrTheTokenLimitIsAnAnswerOfItsOwn) {
    for (const Finish finish : {Finish::length, Finish::content_filter}) {
        AnswerGate gate = self_opening();
        gate.on(Finished{0, finish, ""});
        gate.on(Ended{});
        EXPECT_FALSE(gate.is_empty());
    }
    EXPECT_EQ(opened, 2);
}

TEST_F(AnAnswerGate, StaysShutInARaceUntilItIsWon) {
    AnswerGate gate(Envelope::Reasoning::shown, {});
    gate.on(Started{});
    {
        const std::string passing = "a";
        gate.on(Text{0, passing});
    }
    gate.on(ToolStarted{0, 0, "call_1", "find"});
    EXPECT_TRUE(gate.spoke());
    EXPECT_EQ(client.text(), "");
    gate.open(&client);
    gate.on(Text{0, "b"});
    EXPECT_EQ(client.text(),
              "started\ntext 0 \"a\"\ntool 0 #0 id=call_1 name=find\ntext 0 \"b\"\n");
}

}  // namespace
}  // namespace runnel::exchange
