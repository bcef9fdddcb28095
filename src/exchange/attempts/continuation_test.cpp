#include "exchange/attempts/continuation.hpp"

#include "base/limits.hpp"
#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace runnel::exchange {
namespace {

using testing::TimelineRecorder;
using namespace timeline;

TEST(SeenText, IsTheTextUnescaped) {
    SeenText seen;
    EXPECT_FALSE(seen.can_go_on()) << "there is nothing to go on with";
    seen.on(Started{});
    seen.on(Text{0, R"(say \"h)"});
    seen.on(Text{0, R"(i\"\n)"});
    seen.on(UsageReported{});
    EXPECT_TRUE(seen.can_go_on());
    EXPECT_EQ(seen.text(), "say \"hi\"\n");
}

TEST(SeenText, CannotBeGoneOnWithOnceAnythingElseWasShown) {
    const Event others[] = {Reasoning{0, "hm"},
                            ToolStarted{0, 0, "call_1", "f"},
                            Refusal{0, "no"},
                            Citation{.choice = 0, .url = "u"},
                            Logprobs{0, Logprobs::Of::text, {}},
                            Text{1, "another choice"},
                            Finished{0, Finish::stop, ""}};
    for (const Event& other : others) {
        SeenText seen;
        seen.on(Text{0, "Hi"});
        seen.on(other);
        seen.on(Text{0, " there"});
        EXPECT_FALSE(seen.can_go_on()) << "event kind " << other.index();
    }
}

TEST(SeenText, IsBounded) {
    SeenText seen;
    const std::string much(limits::continuation_bytes, 'x');
    seen.on(Text{0, much});
    EXPECT_TRUE(seen.can_go_on());
    seen.on(Text{0, "x"});
    EXPECT_FALSE(seen.can_go_on());
}

// The texts of a rendered timeline, joined.
std::string said(const std::string& timeline) {
    constexpr std::string_view begin = "text 0 \"";
    std::string texts;
    for (std::size_t at = 0; (at = timeline.find(begin, at)) != std::string::npos;) {
        at += begin.size();
        texts += timeline.substr(at, timeline.find('"', at) - at);
    }
    return texts;
}

class AContinuation : public ::testing::Test {
protected:
    TimelineRecorder client;
};

TEST_F(AContinuation, SwallowsWhatWasSeenHoweverItIsCut) {
    const std::string seen = "The quick brown";
    const std::string whole = "The quick brown fox";
    for (std::size_t size = 1; size <= whole.size(); ++size) {
        TimelineRecorder shown;
        Continuation again(seen, &shown);
        for (std::size_t at = 0; at < whole.size(); at += size)
            again.on(Text{0, std::string_view(whole).substr(at, size)});
        again.on(Finished{0, Finish::stop, "stop"});
        again.on(Ended{});
        EXPECT_TRUE(again.caught_up());
        EXPECT_FALSE(again.differs());
        EXPECT_EQ(said(shown.text()), " fox") << "in pieces of " << size;
        EXPECT_TRUE(shown.text().ends_with("finish 0 stop\nended\n"));
    }
}

TEST_F(AContinuation, ComparesCharactersNotEscapes) {
    Continuation again("caf\u00e9 \"x\"/", &client);
    again.on(Text{0, R"(caf\u00e9 \u0022x)"});
    again.on(Text{0, R"(\"\/ and \"more\")"});
    EXPECT_EQ(client.text(), "text 0 \" and \\\"more\\\"\"\n");
}

TEST_F(AContinuation, HasNoThoughtsNorSignaturesOfAnotherTelling) {
    Continuation again("Hi", &client);
    again.on(Reasoning{0, "hm"});
    again.on(ReasoningSigned{0, "s", "a/b"});
    again.on(ItemEnded{0});
    again.on(Text{0, "Hi"});
    again.on(ReasoningEncrypted{0, "d", "a/b"});
    again.on(ReasoningSigned{0, "s", "a/b"});
    again.on(Text{0, " there"});
    EXPECT_EQ(client.text(), "text 0 \" there\"\n");
}

TEST_F(AContinuation, PassesNothingAfterADifference) {
    Continuation again("The quick", &client);
    again.on(Text{0, "The slow"});
    again.on(Text{0, " and more"});
    again.on(Finished{0, Finish::stop, "stop"});
    again.on(Ended{});
    EXPECT_TRUE(again.differs());
    EXPECT_EQ(client.text(), "");
}

TEST_F(AContinuation, EndingEarlyIsADifference) {
    Continuation again("The quick", &client);
    again.on(Text{0, "The"});
    again.on(Finished{0, Finish::stop, "stop"});
    EXPECT_TRUE(again.differs());
    EXPECT_EQ(client.text(), "");
}

TEST_F(AContinuation, ToolCallsBeforeItCaughtUpAreADifference) {
    Continuation again("The quick", &client);
    again.on(ToolStarted{0, 0, "call_1", "f"});
    EXPECT_TRUE(again.differs());
}

TEST_F(AContinuation, LeavesThoughtsOut) {
    Continuation again("The", &client);
    again.on(Started{});
    again.on(Reasoning{0, "hm"});
    again.on(Text{0, "The end"});
    again.on(Reasoning{0, "hm"});
    EXPECT_FALSE(again.differs());
    EXPECT_EQ(client.text(), "text 0 \" end\"\n");
}

}  // namespace
}  // namespace runnel::exchange
