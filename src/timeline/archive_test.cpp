#include "timeline/archive.hpp"

#include "support/random_timeline.hpp"
#include "support/timeline_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::timeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::RandomTimeline;

constexpr std::size_t no_bound = 100'000'000;

// Everything that can be told of a recording, one event per line.
std::string rendered(const TimedRecording& recording) {
    testing::TimelineRecorder recorder;
    recording.replay(&recorder);
    std::string all = recorder.text();
    for (const EventTime time : recording.times()) all += fmt::format("{} ", time.count());
    for (const std::string& native : recorder.natives()) all += native + "|";
    for (const Error& error : recorder.errors())
        all += fmt::format("{}|{}|{}", error.message, error.param,
                           error.retry_after.value_or(std::chrono::milliseconds(-1)).count());
    return all + (recording.truncated ? "truncated" : "");
}

TimedRecording read(const std::string& text) {
    auto recording = read_archive(text);
    if (recording) return std::move(*recording);
    ADD_FAILURE() << recording.error().message << "\n" << text;
    return {};
}

std::string with_events(std::string_view events) {
    return fmt::format(R"({{"version":2,"events":[{}]}})", events);
}

std::string problem(std::string text) {
    const auto recording = read_archive(std::move(text));
    return recording ? "none" : recording.error().message;
}

TEST(Archive, GivesEveryTimelineBackAsItWas) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const TimedRecording made = RandomTimeline(seed).make();
        const std::string text = write_archive(made, no_bound);
        const TimedRecording again = read(text);
        ASSERT_EQ(rendered(again), rendered(made)) << text;
        EXPECT_EQ(write_archive(again, no_bound), text);
        EXPECT_EQ(text.find('\n'), std::string::npos);
    }
}

TEST(Archive, IsEasyToRead) {
    TimedRecording made;
    made.add(EventTime(0), Started{});
    made.add(EventTime(412), Text{0, R"(Hel\n)"});
    made.add(EventTime(413), ToolStarted{1, 0, "call_1", "find"});
    made.add(EventTime(413), ToolArguments{1, 0, R"({\"a\":1})"});
    made.add(EventTime(980), Finished{0, Finish::stop, "end_turn"});
    made.add(EventTime(980), Ended{});
    EXPECT_EQ(write_archive(made, no_bound),
              R"({"version":2,"events":[{"ms":0,"started":true},{"ms":412,"text":"Hel\n"},)"
              R"({"ms":413,"choice":1,"id":"call_1","name":"find","tool_started":0},)"
              R"({"ms":413,"choice":1,"index":0,"tool_arguments":"{\"a\":1}"},)"
              R"({"ms":980,"native":"end_turn","finished":"stop"},{"ms":980,"ended":true}]})");
}

TEST(Archive, IsEasyToReadWhereReasoningIsSignedAndSourcesAreNamed) {
    const std::vector<TokenLogprob> tokens{{"a", "-0.5", "[97]"}};
    TimedRecording made;
    made.add(EventTime(1), ReasoningSigned{0, "c2ln", "anthropic/claude"});
    made.add(EventTime(2), ReasoningEncrypted{0, "ZW5j", "anthropic/claude"});
    made.add(EventTime(2), ItemEnded{0});
    made.add(EventTime(3), Logprobs{0, Logprobs::Of::text, tokens});
    made.add(EventTime(4), Citation{.choice = 0, .url = "https://a", .document = 2});
    made.add(EventTime(5), Media{0, Media::Kind::image, "image/png", "eA=="});
    EXPECT_EQ(write_archive(made, no_bound),
              R"({"version":2,"events":[)"
              R"({"ms":1,"issuer":"anthropic/claude","reasoning_signed":"c2ln"},)"
              R"({"ms":2,"issuer":"anthropic/claude","reasoning_encrypted":"ZW5j"},)"
              R"({"ms":2,"item_ended":true},)"
              R"({"ms":3,"of":"text","logprobs":[{"token":"a","logprob":"-0.5","bytes":"[97]"}]},)"
              R"({"ms":4,"citation":{"kind":"address","url":"https://a","document":2}},)"
              R"({"ms":5,"media":{"kind":"image","media_type":"image/png","data":"eA=="}}]})");
}

TEST(Archive, CountsTimeFromItsBeginning) {
    ArchiveWriter::Clock::time_point now(std::chrono::hours(5));
    ArchiveWriter writer(no_bound, [&] { return now; });
    now += std::chrono::microseconds(2'900);
    writer.on(Started{});
    now += std::chrono::milliseconds(40);
    writer.on(Ended{});
    EXPECT_TRUE(writer.ended());
    const TimedRecording recording = read(writer.take());
    EXPECT_EQ(recording.times(), (std::vector{EventTime(2), EventTime(42)}));
}

TEST(Archive, KeepsTheEndOfWhatIsTooLong) {
    TimedRecording made;
    made.add(EventTime(0), Started{});
    for (int i = 1; i <= 100; ++i) {
        made.add(EventTime(i), Text{0, "some text"});
        made.add(EventTime(i), UsageReported{{.fresh_input = 1, .output = i}});
    }
    made.add(EventTime(101), Finished{0, Finish::length, "max_tokens"});
    made.add(EventTime(102), Ended{});
    for (const std::size_t bytes_max : {0UZ, 60UZ, 200UZ, 1000UZ}) {
        const std::string text = write_archive(made, bytes_max);
        EXPECT_LE(text.size(), bytes_max + 250);
        const TimedRecording kept = read(text);
        EXPECT_TRUE(kept.truncated);
        EXPECT_THAT(rendered(kept), HasSubstr("finish 0 length\nusage fresh=1 out=100\nended\n"));
        EXPECT_EQ(write_archive(kept, no_bound), text);
    }
    EXPECT_FALSE(read(write_archive(made, no_bound)).truncated);
}

TEST(Archive, IsWrittenWithinItsBoundForAnyTimeline) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const TimedRecording made = RandomTimeline(seed).make();
        const std::string whole = write_archive(made, no_bound);
        for (std::size_t bytes_max = 0; bytes_max < whole.size(); bytes_max += 97)
            EXPECT_TRUE(read(write_archive(made, bytes_max)).truncated);
    }
}

TEST(Archive, HasNothingForTheOperatorAlone) {
    TimedRecording made;
    Error error{ErrorKind::upstream_failed, "the provider failed"};
    error.detail = "10.0.0.7 said no";
    made.add(EventTime(0), Failed{error});
    EXPECT_THAT(write_archive(made, no_bound), Not(HasSubstr("10.0.0.7")));
}

TEST(Archive, IsUtf8WhateverItIsMadeOf) {
    TimedRecording made;
    made.add(EventTime(0), ToolStarted{0, 0, "call\xFF", "f"});
    EXPECT_THAT(rendered(read(write_archive(made, no_bound))), HasSubstr("id=call\xEF\xBF\xBD"));
}

TEST(Archive, TakesMembersInAnyOrderAndPassesOverUnknownOnes) {
    const auto recording =
        read(R"({"more":[1],"events":[{"tool_started":0,"x":{},"name":"f","ms":3,"id":"c"}],)"
             R"("truncated":true,"version":1})");
    EXPECT_EQ(rendered(recording), "tool 0 #0 id=c name=f\n3 truncated");
}

TEST(Archive, SaysWhatIsWrongWithATextThatIsNone) {
    EXPECT_THAT(problem(""), HasSubstr("not a JSON object"));
    EXPECT_THAT(problem("[]"), HasSubstr("not a JSON object"));
    EXPECT_THAT(problem(with_events("") + "x"), HasSubstr("not a JSON object"));
    EXPECT_THAT(problem(R"({"version":3,"events":[]})"), HasSubstr("version is not 2"));
    EXPECT_THAT(problem(R"({"version":0,"events":[]})"), HasSubstr("version is not 2"));
    EXPECT_THAT(problem(R"({"version":2})"), HasSubstr("no events"));
    EXPECT_THAT(problem(with_events("7")), HasSubstr("event 0 is not an object"));
    EXPECT_EQ(problem(with_events("")), "none");
}

TEST(Archive, RefusesEventsThatNoDialectCouldBeTold) {
    const auto refused = [](std::string_view event) {
        const std::string events = fmt::format(R"({{"ms":0,"started":true}},{})", event);
        return problem(with_events(events)).contains("event 1");
    };
    EXPECT_TRUE(refused(R"({"ms":1})"));
    EXPECT_TRUE(refused(R"({"text":"a"})"));
    EXPECT_TRUE(refused(R"({"ms":-1,"text":"a"})"));
    EXPECT_TRUE(refused(R"({"ms":1e30,"text":"a"})"));
    EXPECT_TRUE(refused(R"({"ms":1,"text":7})"));
    EXPECT_TRUE(refused(R"({"ms":1,"text":"a","choice":128})"));
    EXPECT_TRUE(refused(R"({"ms":1,"tool_started":1,"id":"","name":""})"));
    EXPECT_TRUE(refused(R"({"ms":1,"tool_ended":0})"));
    EXPECT_TRUE(refused(R"({"ms":1,"index":0,"tool_arguments":"{"})"));
    EXPECT_TRUE(refused(R"({"ms":1,"citation":{"kind":"rumour"}})"));
    EXPECT_TRUE(refused(R"({"ms":1,"media":{"data":"AQI="}})"));
    EXPECT_TRUE(refused(R"({"ms":1,"logprobs":"1,2"})"));
    EXPECT_TRUE(refused(R"({"ms":1,"logprobs":[1]})"));
    EXPECT_TRUE(refused(R"({"ms":1,"logprobs":[{"token":"a"}]})"));
    EXPECT_TRUE(refused(R"({"ms":1,"logprobs":[{"token":"a","logprob":"\"b\""}]})"));
    EXPECT_TRUE(refused(R"({"ms":1,"logprobs":[{"token":"a","logprob":"1","bytes":"1"}]})"));
    EXPECT_TRUE(refused(R"({"ms":1,"logprobs":[{"token":"a","logprob":"1","top":[2]}]})"));
    EXPECT_TRUE(refused(R"({"ms":1,"provider_state":"{"})"));
    EXPECT_TRUE(refused(R"({"ms":1,"server_tool":{"state":"gone"}})"));
    EXPECT_TRUE(refused(R"({"ms":1,"server_tool":{"state":"failed","result":"no"}})"));
    EXPECT_TRUE(refused(R"({"ms":1,"finished":"never"})"));
    EXPECT_TRUE(refused(R"({"ms":1,"failed":{"kind":"bad luck"}})"));
    EXPECT_TRUE(problem(with_events(R"({"ms":0,"ended":true},{"ms":0,"text":"a"})"))
                    .contains("event 1 does not belong there"));
}

TEST(Archive, SurvivesATextThatIsCutAnywhere) {
    const std::string text = write_archive(RandomTimeline(7).make(), no_bound);
    for (std::size_t size = 0; size < text.size(); ++size)
        EXPECT_NE(problem(text.substr(0, size)), "none") << size;
}

}  // namespace
}  // namespace runnel::timeline
