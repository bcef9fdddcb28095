#include "api/gemini/stream.hpp"

#include "api/gemini/answer.hpp"
#include "json/parser.hpp"
#include "support/logprobs.hpp"
#include "support/random_timeline.hpp"
#include "timeline/answer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::api::gemini {
namespace {

using timeline::Event;

const Envelope envelope{.id = "r1", .created = 1700000000, .model = "m1"};

std::string streamed(const std::vector<Event>& events, Framing framing = Framing::events,
                     const Envelope& told = envelope) {
    std::string out;
    Stream stream(told, framing, &out);
    for (const Event& event : events) stream.on(event);
    return out;
}

std::string whole(const std::vector<Event>& events) {
    timeline::Fold fold;
    for (const Event& event : events) fold.on(event);
    return whole_answer(envelope, fold.answer());
}

const timeline::Usage usage{.fresh_input = 5, .cache_read = 2, .output = 7, .reasoning = 3};
const timeline::Finished stop{0, timeline::Finish::stop, "stop"};

const std::vector<Event> answer{
    timeline::Started{},
    timeline::Reasoning{0, "hm"},
    timeline::ReasoningSigned{0, "S", "gemini/g"},
    timeline::ToolStarted{0, 0, "c1", "f"},
    timeline::ToolArguments{0, 0, R"({\"x\":)"},
    timeline::ToolArguments{0, 0, "1}"},
    timeline::ToolEnded{0, 0},
    timeline::Text{0, R"(a\n)"},
    timeline::UsageReported{usage},
    timeline::Text{0, "b"},
    timeline::Finished{0, timeline::Finish::tool_calls, "tool_use"},
    timeline::Ended{},
};

TEST(GeminiStream, IsWhatGooglesClientsExpect) {
    EXPECT_EQ(
        streamed(answer),
        R"(data: {"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true}]},"index":0}],"modelVersion":"m1","responseId":"r1"}

data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{"x":1}},"thoughtSignature":"S"}]},"index":0}],"modelVersion":"m1","responseId":"r1"}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"a\n"}]},"index":0}],"modelVersion":"m1","responseId":"r1"}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"b"}]},"index":0}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":4,"totalTokenCount":14,"thoughtsTokenCount":3,"cachedContentTokenCount":2},"modelVersion":"m1","responseId":"r1"}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"index":0,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":4,"totalTokenCount":14,"thoughtsTokenCount":3,"cachedContentTokenCount":2},"modelVersion":"m1","responseId":"r1"}

)");
}

TEST(GeminiStream, HasAFinishReasonEvenWhenNothingWasSaid) {
    EXPECT_EQ(streamed({timeline::Started{}, timeline::Ended{}}),
              R"(data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"index":0,)"
              R"("finishReason":"STOP"}],"modelVersion":"m1","responseId":"r1"})"
              "\n\n");
    const auto reason = [](timeline::Finish finish) {
        return streamed({timeline::Finished{0, finish, ""}, timeline::Ended{}});
    };
    EXPECT_TRUE(reason(timeline::Finish::length).contains(R"("finishReason":"MAX_TOKENS")"));
    EXPECT_TRUE(reason(timeline::Finish::content_filter).contains(R"("finishReason":"SAFETY")"));
}

TEST(GeminiStream, ShowsAFailureAndNothingAfterIt) {
    EXPECT_EQ(streamed({timeline::Failed{{ErrorKind::upstream_overloaded, "busy \"x\""}},
                        timeline::Ended{}}),
              R"(data: {"error":{"code":502,"message":"busy \"x\"","status":"UNAVAILABLE"}})"
              "\n\n");
}

TEST(GeminiStream, IsAnArrayOfJsonAtEveryNumberOfEvents) {
    for (std::size_t count = 0; count < answer.size(); ++count) {
        std::vector<Event> events(answer.begin(),
                                  answer.begin() + static_cast<std::ptrdiff_t>(count));
        events.emplace_back(timeline::Ended{});
        EXPECT_TRUE(json::is_whole(streamed(events, Framing::array))) << count;
        events.back() = timeline::Failed{{ErrorKind::upstream_failed, "no"}};
        events.emplace_back(timeline::Ended{});
        EXPECT_TRUE(json::is_whole(streamed(events, Framing::array))) << count;
    }
    EXPECT_EQ(streamed({timeline::Text{0, "a"}, stop, timeline::Ended{}}, Framing::array),
              R"([{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"index":0}],)"
              R"("modelVersion":"m1","responseId":"r1"},)"
              "\n"
              R"({"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"index":0,)"
              R"("finishReason":"STOP"}],"modelVersion":"m1","responseId":"r1"}])"
              "\n");
}

TEST(GeminiStream, IsJsonWhateverIsTold) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const timeline::TimedRecording told = testing::RandomTimeline(seed).make();
        std::vector<Event> events = told.events();
        if (!std::holds_alternative<timeline::Ended>(events.back()))
            events.emplace_back(timeline::Ended{});
        EXPECT_TRUE(json::is_whole(streamed(events, Framing::array))) << seed;
        const std::string lines = streamed(events);
        for (std::string_view rest = lines; !rest.empty();
             rest.remove_prefix(rest.find("\n\n") + 2)) {
            ASSERT_TRUE(rest.starts_with("data: {")) << seed;
            EXPECT_TRUE(json::is_whole(rest.substr(6, rest.find('\n') - 6))) << rest;
        }
        EXPECT_TRUE(json::is_whole(whole(events))) << seed;
    }
}

TEST(GeminiStream, NamesTheIssuerOfForeignSignatures) {
    const std::string out = streamed(
        {timeline::Reasoning{0, "hm"}, timeline::ReasoningSigned{0, "A", "anthropic/c"},
         timeline::ReasoningEncrypted{0, "E", "openai/y"}, timeline::ToolStarted{0, 0, "c1", "f"},
         timeline::ToolEnded{0, 0}, stop, timeline::Ended{}});
    EXPECT_TRUE(out.contains(
        R"([{"text":"","thought":true,"thoughtSignature":"runnel:11:anthropic/c:A"}])"))
        << out;
    EXPECT_TRUE(out.contains(R"([{"functionCall":{"id":"c1","name":"f","args":{}},)"
                             R"("thoughtSignature":"runnel:8:openai/y:encrypted:E"}])"))
        << out;
}

TEST(GeminiStream, TellsASignatureThatNoPartFollows) {
    const std::string out =
        streamed({timeline::Text{0, "a"}, timeline::ReasoningSigned{0, "S", "gemini/g"}, stop,
                  timeline::Ended{}});
    EXPECT_TRUE(out.contains(R"([{"text":"","thoughtSignature":"S"}]},"index":0,"finishReason")"))
        << out;
}

TEST(GeminiStream, HidesThoughtsButNotTheirSignatures) {
    Envelope hidden = envelope;
    hidden.reasoning = Envelope::Reasoning::hidden;
    const std::string out = streamed(answer, Framing::events, hidden);
    EXPECT_FALSE(out.contains("hm"));
    EXPECT_TRUE(out.contains(R"("thoughtSignature":"S")"));
}

TEST(GeminiStream, TellsCallsThatAreNoJsonAndThatNeverEnd) {
    const std::string out =
        streamed({timeline::ToolStarted{0, 0, "c1", "f"}, timeline::ToolStarted{0, 1, "c2", "g"},
                  timeline::ToolArguments{0, 1, R"([1)"}, timeline::ToolArguments{0, 0, R"({\"a)"},
                  timeline::ToolEnded{0, 1},
                  timeline::Finished{0, timeline::Finish::length, "length"}, timeline::Ended{}});
    EXPECT_TRUE(out.contains(R"({"id":"c2","name":"g","args":{"_raw":"[1"}})")) << out;
    EXPECT_TRUE(out.contains(R"({"id":"c1","name":"f","args":{"_raw":"{\"a"}}}]},"index":0,)"
                             R"("finishReason":"MAX_TOKENS")"))
        << out;
}

TEST(GeminiStream, KeepsEachObjectOnALine) {
    const std::string out = streamed({timeline::ToolStarted{0, 0, "c1", "f"},
                                      timeline::ToolArguments{0, 0, R"({\n \"x\": 1\n})"},
                                      timeline::ToolEnded{0, 0}, stop, timeline::Ended{}});
    EXPECT_TRUE(out.contains(R"("args":{"x":1}})")) << out;
}

TEST(GeminiStream, TellsSeveralCandidatesByTheirIndex) {
    const std::string out =
        streamed({timeline::Text{1, "b"}, timeline::Text{0, "a"}, stop,
                  timeline::Finished{1, timeline::Finish::length, "length"}, timeline::Ended{}});
    EXPECT_TRUE(out.contains(R"([{"text":"b"}]},"index":1}])")) << out;
    EXPECT_TRUE(out.contains(R"("index":0,"finishReason":"STOP"},{"content":)")) << out;
    EXPECT_TRUE(out.contains(R"("index":1,"finishReason":"MAX_TOKENS"}])")) << out;
}

TEST(GeminiStream, KeepsTheGatewaysOwnToolsToItself) {
    const std::string out = streamed(
        {timeline::Text{0, "a"},
         timeline::ServerTool{timeline::ServerTool::State::completed, "srv_1", "now", "{}", "1"},
         stop, timeline::Ended{}});
    EXPECT_FALSE(out.contains("now"));
}

TEST(GeminiStream, TellsSourcesImagesAndLogprobs) {
    const std::vector<Event> events{
        testing::logprob("a"),
        timeline::Text{0, "a"},
        timeline::Citation{.choice = 0, .url = "https://a", .title = "A"},
        timeline::Citation{.choice = 0,
                           .kind = timeline::Citation::Kind::pages,
                           .title = "Report",
                           .cited_text = "c"},
        timeline::Media{.choice = 0,
                        .kind = timeline::Media::Kind::image,
                        .media_type = "image/webp",
                        .data = "AA"},
        stop,
        timeline::Ended{}};
    for (const std::string& out : {streamed(events), whole(events)}) {
        EXPECT_TRUE(out.contains(R"("groundingMetadata":{"groundingChunks":[{"web":)"
                                 R"({"uri":"https://a","title":"A"}},{"retrievedContext":)"
                                 R"({"title":"Report","text":"c"}}]})"))
            << out;
        EXPECT_TRUE(out.contains(R"({"inlineData":{"mimeType":"image/webp","data":"AA"}})")) << out;
        EXPECT_TRUE(out.contains(R"("logprobsResult":{"topCandidates":[{"candidates":[]}],)"
                                 R"("chosenCandidates":[{"token":"a","logProbability":-1}]})"))
            << out;
    }
}

TEST(GeminiStream, KnowsWhatItHolds) {
    std::string out;
    Stream stream(envelope, Framing::events, &out);
    stream.on(timeline::ToolStarted{0, 0, "c1", "f"});
    stream.on(timeline::ToolArguments{0, 0, std::string(1000, '1')});
    EXPECT_GE(stream.held_bytes(), 1000U);
    stream.on(timeline::ToolEnded{0, 0});
    EXPECT_EQ(stream.held_bytes(), 0U);
}

TEST(GeminiAnswer, HasTheSameParts) {
    EXPECT_EQ(
        whole(answer),
        R"({"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"id":"c1","name":"f","args":{"x":1}},"thoughtSignature":"S"},{"text":"a\nb"}]},"index":0,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":4,"totalTokenCount":14,"thoughtsTokenCount":3,"cachedContentTokenCount":2},"modelVersion":"m1","responseId":"r1"})");
}

TEST(GeminiAnswer, CountsNoMoreThoughtsThanOutput) {
    std::string out = "[";
    append_tail(out, envelope, timeline::Usage{.fresh_input = 1, .output = 2, .reasoning = 5}, {});
    EXPECT_TRUE(out.contains(R"("promptTokenCount":1,"candidatesTokenCount":0,)"
                             R"("totalTokenCount":3,"thoughtsTokenCount":2})"))
        << out;
}

TEST(GeminiAnswer, ToldAnErrorInGooglesWords) {
    EXPECT_EQ(error_body({ErrorKind::model_not_found, "no model x", "model"}),
              R"({"error":{"code":404,"message":"no model x","status":"NOT_FOUND"}})");
    EXPECT_EQ(error_body({.kind = ErrorKind::rate_limit_exceeded,
                          .message = "slow down",
                          .retry_after = std::chrono::milliseconds(1500)}),
              R"({"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED",)"
              R"("details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo",)"
              R"("retryDelay":"1.5s"}]}})");
}

}  // namespace
}  // namespace runnel::api::gemini
