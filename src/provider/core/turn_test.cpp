#include "provider/core/turn.hpp"

#include "base/limits.hpp"
#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using timeline::Finish;

// A Turn with everything it needs, and what it told.
struct Told {
    explicit Told(TurnOptions options = {.display_name = "Acme"})
        : turn(std::move(options), &recorder, &ids) {}

    std::string text() const { return recorder.text(); }

    testing::TimelineRecorder recorder;
    IdSource ids{1};
    Turn turn;
};

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
        ++found;
    return found;
}

TEST(Turn, TellsTextAndFinishesOnce) {
    Told told;
    told.turn.started();
    told.turn.text(0, "Hel");
    told.turn.text(0, "");
    told.turn.text(0, "lo");
    told.turn.finish(0, Finish::stop, "stop");
    told.turn.finish(0, Finish::stop, "stop");
    told.turn.complete();
    told.turn.complete();
    told.turn.close();
    EXPECT_EQ(told.text(), "started\n"
                           "text 0 \"Hel\"\n"
                           "text 0 \"lo\"\n"
                           "finish 0 stop\n"
                           "ended\n");
}

TEST(Turn, FailsWhenTheBytesEndWithoutAFinish) {
    Told told;
    told.turn.text(0, "Hel");
    told.turn.close();
    EXPECT_EQ(told.text(), "text 0 \"Hel\"\nfailed upstream_truncated\nended\n");
    EXPECT_EQ(told.recorder.errors().front().message, "Acme's stream ended early");
}

TEST(Turn, FailsWhenNothingCameAtAll) {
    Told told;
    told.turn.close();
    EXPECT_EQ(told.text(), "failed upstream_truncated\nended\n");
}

TEST(Turn, EndsWellWhenOnlyTheTerminalMarkerIsMissing) {
    Told told;
    told.turn.text(0, "x");
    told.turn.finish(0, Finish::length, "length");
    told.turn.close();
    EXPECT_EQ(told.text(), "text 0 \"x\"\nfinish 0 length\nended\n");
}

TEST(Turn, FailsWhenOneOfSeveralChoicesWasCut) {
    Told told;
    told.turn.text(0, "a");
    told.turn.text(1, "b");
    told.turn.finish(0, Finish::stop, "stop");
    EXPECT_FALSE(told.turn.finish_seen());
    told.turn.close();
    EXPECT_EQ(count(told.text(), "failed upstream_truncated"), 1);
    EXPECT_EQ(count(told.text(), "finish "), 0);
}

TEST(Turn, WaitsForEveryAnswerThatWasAskedFor) {
    Told told({.display_name = "Acme", .choices = 2});
    told.turn.text(0, "a");
    told.turn.finish(0, Finish::stop, "stop");
    EXPECT_FALSE(told.turn.finish_seen());
    told.turn.text(1, "b");
    told.turn.finish(1, Finish::stop, "stop");
    EXPECT_TRUE(told.turn.finish_seen());
}

TEST(Turn, TakesFewerAnswersThanWereAskedFor) {
    Told told({.display_name = "Acme", .choices = 2});
    told.turn.text(0, "a");
    told.turn.finish(0, Finish::stop, "stop");
    told.turn.close();
    EXPECT_EQ(told.text(), "text 0 \"a\"\nfinish 0 stop\nended\n");
}

TEST(Turn, AnAnswerWithoutOutputStillHasItsFinish) {
    Told told;
    told.turn.complete();
    EXPECT_EQ(told.text(), "finish 0 stop\nended\n");
}

TEST(Turn, AChoiceThatOnlyFillsAGapIsNotTold) {
    Told told;
    told.turn.text(2, "x");
    told.turn.finish(2, Finish::stop, "stop");
    EXPECT_TRUE(told.turn.finish_seen());
    told.turn.close();
    EXPECT_EQ(told.text(), "text 2 \"x\"\nfinish 2 stop\nended\n");
}

TEST(Turn, FinishesAChoiceThatWasAskedForAndSaidNothing) {
    Told told({.display_name = "Acme", .choices = 2});
    told.turn.text(1, "x");
    told.turn.finish(1, Finish::stop, "stop");
    told.turn.close();
    EXPECT_EQ(told.text(), "text 1 \"x\"\nfinish 0 stop\nfinish 1 stop\nended\n");
}

TEST(Turn, ChoiceNumbersStayWithinTheirLimit) {
    Told told;
    told.turn.text(2'000'000'000, "x");
    told.turn.text(-5, "y");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "text 127 \"x\""), 1);
    EXPECT_EQ(count(told.text(), "text 0 \"y\""), 1);
}

TEST(Turn, NothingFollowsAFailure) {
    Told told;
    told.turn.text(0, "a");
    told.turn.fail({ErrorKind::upstream_overloaded, "busy"});
    told.turn.text(0, "b");
    told.turn.usage({.fresh_input = 1});
    told.turn.finish(0, Finish::stop, "stop");
    told.turn.complete();
    told.turn.fail({ErrorKind::upstream_failed, "again"});
    EXPECT_EQ(told.text(), "text 0 \"a\"\nfailed upstream_overloaded\nended\n");
}

TEST(Turn, ARejectionAfterOutputIsTheProvidersFailure) {
    Told before;
    before.turn.fail({ErrorKind::upstream_rejected, "no"});
    EXPECT_EQ(before.text(), "failed upstream_rejected\nended\n");
    Told after;
    after.turn.text(0, "a");
    after.turn.fail({ErrorKind::upstream_rejected, "no"});
    EXPECT_EQ(after.text(), "text 0 \"a\"\nfailed upstream_failed\nended\n");
}

TEST(Turn, NumbersCallsDenselyInOrderOfAppearance) {
    Told told;
    told.turn.tool(0, 3, "a", "find");
    told.turn.tool_arguments(0, 3, "{}");
    told.turn.tool(0, 7, "b", "now");
    told.turn.tool_arguments(0, 7, "{}");
    told.turn.finish(0, Finish::tool_calls, "tool_calls");
    told.turn.complete();
    EXPECT_EQ(told.text(), "tool 0 #0 id=a name=find\n"
                           "args 0 #0 \"{}\"\n"
                           "tool 0 #1 id=b name=now\n"
                           "args 0 #1 \"{}\"\n"
                           "tool_end 0 #0\n"
                           "tool_end 0 #1\n"
                           "finish 0 tool_calls\n"
                           "ended\n");
}

TEST(Turn, NumbersTheCallsOfEachChoiceOnTheirOwn) {
    Told told;
    told.turn.tool(0, 0, "a", "f");
    told.turn.tool(1, 0, "b", "f");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "tool 0 #0 id=a"), 1);
    EXPECT_EQ(count(told.text(), "tool 1 #0 id=b"), 1);
}

TEST(Turn, PutsThePrefixBeforeTheProvidersIds) {
    Told told({.display_name = "Acme", .tool_id_prefix = "call_"});
    told.turn.tool(0, 0, "toolu_1", "f");
    told.turn.tool(0, 0, "toolu_1", "f");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "tool 0"), 1);
    EXPECT_EQ(count(told.text(), "id=call_toolu_1 "), 1);
}

TEST(Turn, MintsIdsForCallsThatHaveNone) {
    Told told;
    told.turn.tool(0, 0, "", "f");
    told.turn.tool_arguments(0, 0, "{}");
    told.turn.tool(0, 1, "", "g");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "id=call_"), 2);
    EXPECT_EQ(count(told.text(), "name=f\nargs 0 #0 \"{}\"\n"), 1);
}

TEST(Turn, MintsAnotherIdForOneThatIsTaken) {
    Told told;
    told.turn.tool(0, 0, "same", "f");
    told.turn.tool(0, 1, "same", "g");
    told.turn.tool_arguments(0, 1, "{");
    told.turn.tool(0, 1, "same", "g");
    told.turn.tool_arguments(0, 1, "}");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "id=same "), 1);
    EXPECT_EQ(count(told.text(), "tool 0 #1 id=call_"), 1);
    EXPECT_EQ(count(told.text(), "tool 0 #"), 2) << told.text();
}

TEST(Turn, HoldsArgumentsUntilTheirCallHasAName) {
    Told told;
    told.turn.tool_arguments(0, 0, "{\\\"a\\\"");
    told.turn.tool(0, 0, "x", "");
    EXPECT_EQ(told.text(), "");
    told.turn.tool(0, 0, "", "f");
    told.turn.tool_arguments(0, 0, ":1}");
    told.turn.complete();
    EXPECT_EQ(told.text(), "tool 0 #0 id=x name=f\n"
                           "args 0 #0 \"{\\\"a\\\"\"\n"
                           "args 0 #0 \":1}\"\n"
                           "tool_end 0 #0\n"
                           "finish 0 tool_calls\n"
                           "ended\n");
}

TEST(Turn, RepeatedIdAndNameOpenNoNewCall) {
    Told told;
    for (const std::string_view piece : {"{", "}"}) {
        told.turn.tool(0, 0, "functions.f:0", "f");
        told.turn.tool_arguments(0, 0, piece);
    }
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "tool 0 #"), 1);
    EXPECT_EQ(count(told.text(), "args 0 #0"), 2);
}

TEST(Turn, ANewIdAndNameUnderAUsedKeyIsANewCall) {
    Told told;
    told.turn.tool(0, 0, "a", "f");
    told.turn.tool_arguments(0, 0, "{}");
    told.turn.tool(0, 0, "b", "f");
    told.turn.tool_arguments(0, 0, "{}");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "args 0 #0 \"{}\""), 1);
    EXPECT_EQ(count(told.text(), "args 0 #1 \"{}\""), 1);
}

TEST(Turn, AnotherNameUnderAUsedKeyWithoutIdsIsANewCall) {
    Told told;
    told.turn.tool(0, 0, "", "f");
    told.turn.tool_arguments(0, 0, "{}");
    told.turn.tool(0, 0, "", "g");
    told.turn.tool_arguments(0, 0, "{}");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "name=f\n"), 1);
    EXPECT_EQ(count(told.text(), "name=g\n"), 1);
}

TEST(Turn, ACallWithoutArgumentsGetsAnEmptyObject) {
    Told told;
    told.turn.tool(0, 0, "a", "now");
    told.turn.tool_arguments(0, 0, "");
    told.turn.tool_ended(0, 0);
    told.turn.finish(0, Finish::tool_calls, "tool_use");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "args 0 #0 \"{}\"\ntool_end 0 #0\n"), 1);
}

TEST(Turn, ArgumentsThatSayNothingAreAnEmptyObjectAtEverySplit) {
    for (const std::string_view nothing : {"null", "  ", R"(\n\t )", R"( null\r\n)"}) {
        for (std::size_t at = 0; at <= nothing.size(); ++at) {
            if (at > 0 && nothing[at - 1] == '\\') continue;  // escapes come whole
            Told told;
            told.turn.tool(0, 0, "a", "now");
            told.turn.tool_arguments(0, 0, nothing.substr(0, at));
            told.turn.tool_arguments(0, 0, nothing.substr(at));
            told.turn.finish(0, Finish::tool_calls, "tool_calls");
            told.turn.complete();
            EXPECT_EQ(count(told.text(), "args 0 #0 \"{}\"\ntool_end 0 #0\n"), 1) << told.text();
        }
    }
}

TEST(Turn, ArgumentsThatOnlyBeginAsIfTheySaidNothingGoOnAsTheyAre) {
    for (const std::string_view rest : {R"({\"a\":1})", "l", "lx"}) {
        Told told;
        told.turn.tool(0, 0, "a", "now");
        told.turn.tool_arguments(0, 0, " nul");
        told.turn.tool_arguments(0, 0, rest.substr(0, 1));
        told.turn.tool_arguments(0, 0, rest.substr(1));
        told.turn.tool_arguments(0, 0, "y");
        told.turn.finish(0, Finish::tool_calls, "tool_calls");
        told.turn.complete();
        const std::string text = told.text();
        std::string all;
        for (std::string_view left = text; left.contains("args 0 #0 \"");) {
            left.remove_prefix(left.find("args 0 #0 \"") + 11);
            all += left.substr(0, left.find("\"\n"));
        }
        EXPECT_EQ(all, " nul" + std::string(rest) + "y");
    }
}

TEST(Turn, SaysTheClientsNameOfAToolThatWasSentUnderAnother) {
    Told told({.display_name = "Acme", .renamed_tools = {{"a_b_1", "a.b"}}});
    told.turn.tool(0, 0, "x", "a_b_1");
    told.turn.tool(0, 1, "y", "other");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "name=a.b\n"), 1) << told.text();
    EXPECT_EQ(count(told.text(), "name=other\n"), 1);
}

TEST(Turn, ACallCutByTheTokenLimitStaysCut) {
    Told told;
    told.turn.tool(0, 0, "a", "now");
    told.turn.finish(0, Finish::length, "length");
    told.turn.complete();
    EXPECT_EQ(told.text(), "tool 0 #0 id=a name=now\n"
                           "tool_end 0 #0\n"
                           "finish 0 length\n"
                           "ended\n");
}

TEST(Turn, CallsMakeTheFinishToolCallsAndTheirAbsenceMakesItStop) {
    Told with_call;
    with_call.turn.tool(0, 0, "a", "f");
    with_call.turn.finish(0, Finish::stop, "stop");
    with_call.turn.complete();
    EXPECT_EQ(count(with_call.text(), "finish 0 tool_calls"), 1);
    Told without;
    without.turn.text(0, "x");
    without.turn.finish(0, Finish::tool_calls, "tool_calls");
    without.turn.complete();
    EXPECT_EQ(count(without.text(), "finish 0 stop"), 1);
}

TEST(Turn, ACallNobodyNamedIsNotTold) {
    Told told;
    told.turn.tool_arguments(0, 0, "{}");
    told.turn.finish(0, Finish::tool_calls, "tool_calls");
    told.turn.complete();
    EXPECT_EQ(told.text(), "finish 0 stop\nended\n");
}

TEST(Turn, KeepsOnlyAsManyCallsAsAllowed) {
    Told told({.display_name = "Acme", .tool_calls_max = 1});
    told.turn.tool(0, 0, "a", "f");
    told.turn.tool(0, 1, "b", "g");
    told.turn.tool_arguments(0, 1, "{}");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "tool 0 #"), 1);
    EXPECT_EQ(count(told.text(), "args 0 #0 \"{}\""), 1);
    EXPECT_TRUE(told.turn.trimmed_calls());
}

TEST(Turn, FailsOnArgumentsBeyondTheirLimit) {
    Told told;
    told.turn.tool(0, 0, "a", "f");
    const std::string big(limits::tool_arguments_bytes, 'x');
    told.turn.tool_arguments(0, 0, big);
    told.turn.tool_arguments(0, 0, "x");
    EXPECT_EQ(count(told.text(), "failed upstream_malformed\nended\n"), 1);
}

TEST(Turn, FailsOnMoreCallsThanAnybodyMakes) {
    Told told;
    for (std::size_t i = 0; i <= limits::tool_calls; ++i) {
        told.turn.tool(0, static_cast<Turn::CallKey>(i), {}, "f");
        told.turn.tool_arguments(0, static_cast<Turn::CallKey>(i), "{}");
    }
    EXPECT_TRUE(told.text().ends_with("failed upstream_malformed\nended\n"));
}

TEST(Turn, FailsOnMoreCitationsOrSignaturesThanAnybodyGives) {
    Told cited;
    for (int i = 0; i < 20'000; ++i) cited.turn.citation({.choice = 0, .url = "u"});
    EXPECT_TRUE(cited.text().ends_with("failed upstream_malformed\nended\n"));
    Told signed_often;
    for (int i = 0; i < 20'000; ++i) signed_often.turn.reasoning_signed(0, "s");
    EXPECT_TRUE(signed_often.text().ends_with("failed upstream_malformed\nended\n"));
}

TEST(Turn, TellsWhoseReasoningIsSignedAndEncrypted) {
    Told told({.display_name = "Acme", .issuer = "acme/m1"});
    told.turn.reasoning(0, "hm");
    told.turn.reasoning_signed(0, R"(a\/b)");
    told.turn.reasoning_encrypted(0, "c");
    told.turn.reasoning_signed(0, "");
    told.turn.reasoning_encrypted(0, "");
    EXPECT_EQ(told.text(), "reasoning 0 \"hm\"\n"
                           "reasoning_signed 0 \"a/b\" by acme/m1\n"
                           "reasoning_encrypted 0 \"c\" by acme/m1\n");
}

TEST(Turn, EndsAnItemOnceAndOnlyWhereThereIsOne) {
    Told told;
    told.turn.item_ended(0);
    told.turn.text(0, "a");
    told.turn.item_ended(0);
    told.turn.item_ended(0);
    told.turn.reasoning(0, "b");
    told.turn.item_ended(0);
    EXPECT_EQ(told.text(), "text 0 \"a\"\nitem_end 0\nreasoning 0 \"b\"\nitem_end 0\n");
}

TEST(Turn, TellsCitationsAndMediaClean) {
    Told told;
    told.turn.citation({.choice = 200, .url = R"(https:\/\/a)", .title = R"(\u00e9\ud83d)"});
    told.turn.media({.choice = 0,
                     .kind = timeline::Media::Kind::image,
                     .url = R"(data:image\/png;base64,\/9j\/)"});
    told.turn.media(
        {.choice = 0, .kind = timeline::Media::Kind::image, .url = "data:image/svg+xml,<svg>"});
    EXPECT_EQ(told.text(), "citation 127 address url=\"https://a\" title=\"é\uFFFD\"\n"
                           "image 0 media_type=\"image/png\" data=\"/9j/\"\n"
                           "image 0 url=\"data:image/svg+xml,<svg>\"\n");
}

TEST(Turn, TellsTheStopSequenceThatWasHit) {
    Told told;
    told.turn.text(0, "a");
    told.turn.finish(0, Finish::stop, "stop_sequence", R"(EN\u0044)");
    told.turn.complete();
    EXPECT_EQ(told.text(), "text 0 \"a\"\nfinish 0 stop at \"END\"\nended\n");
}

TEST(Turn, JoinsACharacterCutBetweenTwoDeltas) {
    Told told;
    told.turn.text(0, "a\\ud83d");
    told.turn.text(0, "\\ude00b");
    told.turn.reasoning(0, "\\ud83d");
    told.turn.reasoning(0, "\\ude00");
    told.turn.tool(0, 0, "x", "f");
    told.turn.tool_arguments(0, 0, "\\ud83d");
    told.turn.tool_arguments(0, 0, "\\ude00");
    told.turn.complete();
    EXPECT_EQ(told.text(), "text 0 \"a\"\n"
                           "text 0 \"😀b\"\n"
                           "reasoning 0 \"😀\"\n"
                           "tool 0 #0 id=x name=f\n"
                           "args 0 #0 \"😀\"\n"
                           "tool_end 0 #0\n"
                           "finish 0 tool_calls\n"
                           "ended\n");
}

TEST(Turn, ShowsHalfACharacterAsAReplacementAtTheEnd) {
    Told told;
    told.turn.text(0, "a\\ud83d");
    told.turn.refusal(0, "b\\ud83d");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "text 0 \"\uFFFD\""), 1);
    EXPECT_EQ(count(told.text(), "refusal 0 \"\uFFFD\""), 1);
}

TEST(Turn, TellsAThinkBlockAsReasoningWhereAskedTo) {
    Told told({.display_name = "Acme", .think_tags = TurnOptions::ThinkTags::reasoning});
    for (const std::string_view piece : {"<th", "ink>h", "m</thi", "nk>\\n", "\\n4"})
        told.turn.text(0, piece);
    told.turn.finish(0, Finish::stop, "stop");
    told.turn.complete();
    EXPECT_EQ(told.text(), "reasoning 0 \"h\"\n"
                           "reasoning 0 \"m\"\n"
                           "text 0 \"4\"\n"
                           "finish 0 stop\n"
                           "ended\n");
}

TEST(Turn, LeavesThinkTagsAloneByDefault) {
    Told told;
    told.turn.text(0, "<think>x</think>");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "text 0 \"<think>x</think>\""), 1);
}

TEST(Turn, GivesEachCallTheStateItsProviderWantsBack) {
    Told told;
    told.turn.tool(0, 0, "a", "f");
    told.turn.tool(0, 1, "b", "g");
    told.turn.tool_state(0, 1, "{\"s\":1}");
    told.turn.turn_state("\"hm\"");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "state a \"hm\"\n"), 1);
    EXPECT_EQ(count(told.text(), "state b {\"s\":1}\n"), 1);
}

TEST(Turn, KeepsNoStateWhereNobodyWantsIt) {
    Told told({.display_name = "Acme", .state = TurnOptions::State::drop});
    told.turn.tool(0, 0, "a", "f");
    told.turn.turn_state("\"hm\"");
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "state "), 0);
}

TEST(Turn, ACountOfZerosDoesNotReplaceATrueOne) {
    Told told;
    told.turn.usage({.fresh_input = 7, .output = 2});
    told.turn.usage({});
    told.turn.complete();
    EXPECT_EQ(count(told.text(), "usage "), 1);
}

}  // namespace
}  // namespace runnel::provider
