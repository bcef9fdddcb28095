#include "api/ollama/stream.hpp"

#include "api/registry.hpp"
#include "json/parser.hpp"
#include "support/logprobs.hpp"
#include "support/random_timeline.hpp"
#include "timeline/answer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::api::ollama {
namespace {

using timeline::Event;

const Took took{.total = std::chrono::nanoseconds(9), .until_first = std::chrono::nanoseconds(4)};
const Envelope envelope{.id = "o1", .created = 1700000000, .model = "m1", .took = &took};
const timeline::Finished stop{0, timeline::Finish::stop, "stop"};

std::string streamed(const std::vector<Event>& events, Form form = Form::chat,
                     const Envelope& told = envelope) {
    std::string out;
    Stream stream(told, form, &out);
    for (const Event& event : events) stream.on(event);
    return out;
}

std::string whole(const std::vector<Event>& events, Form form = Form::chat,
                  const Envelope& told = envelope) {
    timeline::Fold fold;
    for (const Event& event : events) fold.on(event);
    return whole_answer(told, form, fold.answer());
}

const std::vector<Event> answer{
    timeline::Started{},
    timeline::Reasoning{0, "hm"},
    timeline::Text{0, R"(a\n)"},
    timeline::ToolStarted{0, 0, "c1", "f"},
    timeline::ToolArguments{0, 0, R"({\"x\": \n)"},
    timeline::ToolArguments{0, 0, "1}"},
    timeline::ToolEnded{0, 0},
    timeline::Finished{0, timeline::Finish::tool_calls, "tool_use"},
    timeline::UsageReported{{.fresh_input = 5, .cache_read = 2, .output = 7}},
    timeline::Ended{},
};

TEST(OllamaStream, IsWhatOllamasClientsExpect) {
    EXPECT_EQ(
        streamed(answer),
        R"({"model":"m1","created_at":"2023-11-14T22:13:20Z","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}
{"model":"m1","created_at":"2023-11-14T22:13:20Z","message":{"role":"assistant","content":"a\n"},"done":false}
{"model":"m1","created_at":"2023-11-14T22:13:20Z","message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"index":0,"name":"f","arguments":{"x":1}}}]},"done":false}
{"model":"m1","created_at":"2023-11-14T22:13:20Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":9,"load_duration":0,"prompt_eval_count":7,"prompt_eval_duration":4,"eval_count":7,"eval_duration":5}
)");
    EXPECT_EQ(
        streamed(answer, Form::generate),
        R"({"model":"m1","created_at":"2023-11-14T22:13:20Z","response":"","thinking":"hm","done":false}
{"model":"m1","created_at":"2023-11-14T22:13:20Z","response":"a\n","done":false}
{"model":"m1","created_at":"2023-11-14T22:13:20Z","response":"","done":true,"done_reason":"stop","total_duration":9,"load_duration":0,"prompt_eval_count":7,"prompt_eval_duration":4,"eval_count":7,"eval_duration":5}
)");
}

TEST(OllamaStream, SaysWhyItEnds) {
    const auto end = [](timeline::Finish finish) {
        return streamed({timeline::Finished{0, finish, ""}, timeline::Ended{}});
    };
    EXPECT_TRUE(end(timeline::Finish::length).contains(R"("done_reason":"length")"));
    EXPECT_TRUE(
        end(timeline::Finish::content_filter).contains(R"("done_reason":"content_filter")"));
    const chat::Request nothing;
    Envelope told = envelope;
    told.request = &nothing;
    const std::vector<Event> loaded{stop, timeline::Ended{}};
    EXPECT_TRUE(streamed(loaded, Form::chat, told).contains(R"("done_reason":"load")"));
    // The request is let go once something was sent.
    chat::Request request;
    request.messages.emplace_back();
    told.request = &request;
    std::string out;
    Stream stream(told, Form::chat, &out);
    request.messages.clear();
    for (const Event& event : loaded) stream.on(event);
    EXPECT_TRUE(out.contains(R"("done_reason":"stop")")) << out;
    EXPECT_TRUE(whole(loaded, Form::generate, told).contains(R"("done_reason":"load")"));
}

TEST(OllamaStream, EndsWithAnErrorLineAfterAFailure) {
    const std::string out =
        streamed({timeline::Text{0, "a"},
                  timeline::Failed{{ErrorKind::upstream_failed, "no \"x\""}}, timeline::Ended{}});
    EXPECT_TRUE(out.ends_with("\"done\":false}\n{\"error\":\"no \\\"x\\\"\"}\n")) << out;
}

TEST(OllamaStream, HasNoLineEndsOfUnicodeInItsLines) {
    const std::string out = streamed({timeline::Text{0, "a\u2028b\u2029\u2028c\u0085é"},
                                      timeline::ToolStarted{0, 0, "c", "f"},
                                      timeline::ToolArguments{0, 0, "{\\\"x\\\":\\\"\u2028\\\"}"},
                                      timeline::ToolEnded{0, 0}, stop, timeline::Ended{}});
    EXPECT_TRUE(out.contains(R"("content":"a\u2028b\u2029\u2028c\u0085é")")) << out;
    EXPECT_TRUE(out.contains(R"("arguments":{"x":"\u2028"})")) << out;
}

TEST(OllamaStream, TellsTokensBesideTheirText) {
    const std::vector<Event> events{testing::logprob("a"), timeline::Text{0, "a"}, stop,
                                    timeline::Ended{}};
    for (const std::string& out : {streamed(events), whole(events)})
        EXPECT_TRUE(out.contains(
            R"("content":"a"},"logprobs":[{"token":"a","logprob":-1,"bytes":null,"top_logprobs":[]}],)"))
            << out;
}

TEST(OllamaStream, HidesThoughtsWhereTheyAreNotWanted) {
    Envelope told = envelope;
    told.reasoning = Envelope::Reasoning::hidden;
    EXPECT_FALSE(streamed(answer, Form::chat, told).contains("hm"));
    EXPECT_FALSE(whole(answer, Form::chat, told).contains("hm"));
}

TEST(OllamaStream, TellsCallsThatNeverEnd) {
    const std::string out =
        streamed({timeline::ToolStarted{0, 0, "c1", "f"}, timeline::ToolArguments{0, 0, R"({\"a)"},
                  timeline::Finished{0, timeline::Finish::length, "length"}, timeline::Ended{}});
    EXPECT_TRUE(out.contains(R"("arguments":{"_raw":"{\"a"}}}]},"done":false})")) << out;
}

TEST(OllamaStream, KeepsTheGatewaysOwnToolsToItself) {
    const std::string out = streamed(
        {timeline::ServerTool{timeline::ServerTool::State::completed, "srv_1", "now", "{}", "1"},
         stop, timeline::Ended{}});
    EXPECT_FALSE(out.contains("now"));
}

TEST(OllamaStream, IsLinesOfJsonWithOneEndWhateverIsTold) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const timeline::TimedRecording told = testing::RandomTimeline(seed).make();
        std::vector<Event> events = told.events();
        if (!std::holds_alternative<timeline::Ended>(events.back()))
            events.emplace_back(timeline::Ended{});
        for (const Form form : {Form::chat, Form::generate}) {
            const std::string out = streamed(events, form);
            ASSERT_TRUE(out.ends_with('\n')) << seed;
            int ends = 0;
            for (std::string_view rest = out; !rest.empty();
                 rest.remove_prefix(rest.find('\n') + 1)) {
                const std::string_view line = rest.substr(0, rest.find('\n'));
                ASSERT_TRUE(json::is_whole(line)) << seed << line;
                ends += line.contains(R"("done":true)") || line.starts_with(R"({"error")");
            }
            EXPECT_EQ(ends, 1) << seed;
            EXPECT_TRUE(json::is_whole(whole(events, form))) << seed;
        }
    }
}

TEST(OllamaStream, KnowsWhatItHolds) {
    std::string out;
    Stream stream(envelope, Form::chat, &out);
    stream.on(timeline::ToolStarted{0, 0, "c1", "f"});
    stream.on(timeline::ToolArguments{0, 0, std::string(1000, '1')});
    EXPECT_GE(stream.held_bytes(), 1000U);
    stream.on(timeline::ToolEnded{0, 0});
    EXPECT_EQ(stream.held_bytes(), 0U);
}

TEST(OllamaAnswer, HasTheSameMessage) {
    EXPECT_EQ(
        whole(answer),
        R"({"model":"m1","created_at":"2023-11-14T22:13:20Z","message":{"role":"assistant","content":"a\n","thinking":"hm","tool_calls":[{"id":"c1","function":{"index":0,"name":"f","arguments":{"x":1}}}]},"done":true,"done_reason":"stop","total_duration":9,"load_duration":0,"prompt_eval_count":7,"prompt_eval_duration":4,"eval_count":7,"eval_duration":5})");
    EXPECT_TRUE(whole({timeline::Text{0, "a"}, stop, timeline::Ended{}}, Form::generate)
                    .contains(R"("response":"a","done":true)"));
}

TEST(OllamaAnswer, TellsAnErrorInAWord) {
    EXPECT_EQ(ollama_api().error_body({ErrorKind::model_not_found, "no model x", "model"}),
              R"({"error":"no model x"})");
}

}  // namespace
}  // namespace runnel::api::ollama
