#include "api/completions/stream.hpp"

#include "api/registry.hpp"
#include "json/parser.hpp"
#include "support/logprobs.hpp"
#include "support/random_timeline.hpp"
#include "timeline/answer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::api::completions {
namespace {

using timeline::Event;

const Envelope envelope{.id = "cmpl-T", .created = 1700000000, .model = "m1"};
const timeline::Finished stop{0, timeline::Finish::stop, "stop"};

std::string streamed(const std::vector<Event>& events, const Envelope& told = envelope) {
    std::string out;
    Stream stream(told, &out);
    for (const Event& event : events) stream.on(event);
    return out;
}

std::string whole(const std::vector<Event>& events, const Envelope& told = envelope) {
    timeline::Fold fold;
    for (const Event& event : events) fold.on(event);
    return whole_answer(told, fold.answer());
}

// A request for the text "Say \"hi\"" with its prompt told again.
chat::Request echoing() {
    chat::Request request;
    request.extras = {{"echo", "true"}};
    request.messages.push_back({.role = chat::Role::system, .parts = {{chat::Text{"sys"}}}});
    request.messages.push_back({.parts = {{chat::Text{R"(Say \"hi\" é)"}}}, .number = 1});
    return request;
}

const std::vector<Event> answer{
    timeline::Started{},
    timeline::Reasoning{0, "hm"},
    timeline::Text{0, R"(a\n)"},
    timeline::Text{0, "b"},
    timeline::ToolStarted{0, 0, "c1", "f"},
    timeline::ToolEnded{0, 0},
    timeline::Finished{0, timeline::Finish::tool_calls, "tool_use"},
    timeline::UsageReported{{.fresh_input = 5, .cache_read = 2, .output = 7}},
    timeline::Ended{},
};

TEST(CompletionsStream, IsWhatOpenAisClientsExpect) {
    Envelope told = envelope;
    told.usage = Envelope::Usage::shown;
    EXPECT_EQ(
        streamed(answer, told),
        R"(data: {"id":"cmpl-T","object":"text_completion","created":1700000000,"model":"m1","choices":[{"index":0,"text":"a\n","logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"cmpl-T","object":"text_completion","created":1700000000,"model":"m1","choices":[{"index":0,"text":"b","logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"cmpl-T","object":"text_completion","created":1700000000,"model":"m1","choices":[{"index":0,"text":"","logprobs":null,"finish_reason":"stop"}],"usage":null}

data: {"id":"cmpl-T","object":"text_completion","created":1700000000,"model":"m1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":7,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":2}}}

data: [DONE]

)");
    EXPECT_FALSE(streamed(answer).contains("usage"));
}

TEST(CompletionsStream, TellsChoicesByTheirIndex) {
    const std::string out =
        streamed({timeline::Text{1, "b"}, timeline::Refusal{0, "no"}, stop,
                  timeline::Finished{1, timeline::Finish::length, "length"}, timeline::Ended{}});
    EXPECT_TRUE(out.contains(R"([{"index":1,"text":"b","logprobs":null,"finish_reason":null}])"));
    EXPECT_TRUE(out.contains(R"([{"index":0,"text":"no",)"));
    EXPECT_TRUE(
        out.contains(R"([{"index":1,"text":"","logprobs":null,"finish_reason":"length"}])"));
}

TEST(CompletionsStream, BeginsEveryChoiceWithThePromptWhereItIsToBeEchoed) {
    const chat::Request request = echoing();
    Envelope told = envelope;
    told.request = &request;
    const std::string out =
        streamed({timeline::Text{0, "!"}, stop,
                  timeline::Finished{1, timeline::Finish::stop, "stop"}, timeline::Ended{}},
                 told);
    const std::size_t first = out.find(R"([{"index":0,"text":"Say \"hi\" é",)");
    EXPECT_LT(first, out.find(R"([{"index":0,"text":"!",)"));
    EXPECT_LT(out.find(R"([{"index":1,"text":"Say \"hi\" é",)"),
              out.find(R"([{"index":1,"text":"","logprobs":null,"finish_reason":"stop")"));
    EXPECT_FALSE(out.contains("sys"));
    EXPECT_TRUE(whole({timeline::Text{0, "!"}, stop, timeline::Ended{}}, told)
                    .contains(R"("text":"Say \"hi\" é!",)"));
    EXPECT_FALSE(streamed({timeline::Text{0, "!"}, stop, timeline::Ended{}}).contains("Say"));
}

TEST(CompletionsStream, TellsTokensInLists) {
    const std::vector<Event> events{testing::logprob("é"),   testing::logprob("b"),
                                    timeline::Text{0, "éb"}, testing::logprob("c"),
                                    timeline::Text{0, "c"},  stop,
                                    timeline::Ended{}};
    const std::string out = streamed(events);
    EXPECT_TRUE(out.contains(R"("logprobs":{"tokens":["é","b"],"token_logprobs":[-1,-1],)"
                             R"("top_logprobs":null,"text_offset":[0,1]})"))
        << out;
    EXPECT_TRUE(out.contains(R"("tokens":["c"],"token_logprobs":[-1],)"
                             R"("top_logprobs":null,"text_offset":[2]})"))
        << out;
    EXPECT_TRUE(whole(events).contains(R"("tokens":["é","b","c"])"));

    const chat::Request request = echoing();
    Envelope told = envelope;
    told.request = &request;
    for (const std::string& echoed : {streamed(events, told), whole(events, told)})
        EXPECT_TRUE(echoed.contains(R"("text_offset":[10,11)")) << echoed;
}

TEST(CompletionsStream, TellsWhatElseATokenCouldHaveBeen) {
    const timeline::TokenLogprob others[] = {{R"(\n)", "-2"}, {"b", "-3"}};
    const timeline::TokenLogprob token{"a", "-1", {}, others};
    EXPECT_TRUE(streamed({timeline::Logprobs{0, timeline::Logprobs::Of::text, {&token, 1}},
                          timeline::Text{0, "a"}, stop, timeline::Ended{}})
                    .contains(R"("top_logprobs":[{"\n":-2,"b":-3}])"));
}

TEST(CompletionsStream, ShowsAFailureAndOnlyTheEndAfterIt) {
    const std::string out =
        streamed({timeline::Text{0, "a"},
                  timeline::Failed{{ErrorKind::upstream_failed, "no \"x\""}}, timeline::Ended{}});
    const std::size_t error = out.find(R"(data: {"error":{"message":"no \"x\"",)");
    ASSERT_NE(error, std::string::npos) << out;
    EXPECT_EQ(out.substr(out.find("\n\n", error)), "\n\ndata: [DONE]\n\n");
}

TEST(CompletionsStream, IsJsonAndHasOneEndWhateverIsTold) {
    const chat::Request request = echoing();
    for (unsigned seed = 0; seed < 200; ++seed) {
        const timeline::TimedRecording told = testing::RandomTimeline(seed).make();
        std::vector<Event> events = told.events();
        if (!std::holds_alternative<timeline::Ended>(events.back()))
            events.emplace_back(timeline::Ended{});
        Envelope with_options = envelope;
        if (seed % 2 == 0) with_options.usage = Envelope::Usage::shown;
        if (seed % 3 == 0) with_options.request = &request;
        std::string_view rest;
        const std::string out = streamed(events, with_options);
        for (rest = out; rest.starts_with("data: {"); rest.remove_prefix(rest.find("\n\n") + 2))
            ASSERT_TRUE(json::is_whole(rest.substr(6, rest.find('\n') - 6))) << seed << rest;
        EXPECT_EQ(rest, "data: [DONE]\n\n") << seed;
        EXPECT_TRUE(json::is_whole(whole(events, with_options))) << seed;
    }
}

TEST(CompletionsAnswer, HasTheSameText) {
    EXPECT_EQ(
        whole(answer),
        R"({"id":"cmpl-T","object":"text_completion","created":1700000000,"model":"m1","choices":[{"index":0,"text":"a\nb","logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":7,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":2}}})");
}

TEST(CompletionsAnswer, TellsAnErrorInOpenAisWords) {
    EXPECT_TRUE(completions_api()
                    .error_body({ErrorKind::model_not_found, "no model x", "model"})
                    .starts_with(R"({"error":{"message":"no model x","type":)"));
}

}  // namespace
}  // namespace runnel::api::completions
