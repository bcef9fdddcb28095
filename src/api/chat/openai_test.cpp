#include "api/registry.hpp"
#include "support/golden_envelope.hpp"
#include "support/logprobs.hpp"

#include <gtest/gtest.h>

namespace runnel::api {
namespace {

using namespace timeline;

using testing::golden;
using testing::logprob;

std::string whole(const std::vector<Event>& events, const Envelope& envelope = golden) {
    return testing::whole(*dialect_named("openai"), envelope, events);
}

std::string around(std::string_view choices, std::string_view usage) {
    return R"({"id":"chatcmpl-T","object":"chat.completion","created":1700000000,"model":"m1","choices":[)" +
           std::string(choices) + R"(],"usage":)" + std::string(usage) + "}";
}

constexpr std::string_view no_usage =
    R"({"prompt_tokens":0,"completion_tokens":0,"total_tokens":0})";

TEST(OpenAiDialect, WritesAWholeAnswer) {
    EXPECT_EQ(
        whole({Text{0, "Hel"}, Text{0, "lo"}, UsageReported{{.fresh_input = 7, .output = 2}},
               Finished{0, Finish::stop, "stop"}, Ended{}}),
        around(
            R"({"index":0,"message":{"role":"assistant","content":"Hello","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"})",
            R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":9})"));
}

TEST(OpenAiDialect, HasNullContentBesideToolCallsAlone) {
    EXPECT_EQ(whole({ToolStarted{0, 0, "call_1", "find"}, ToolArguments{0, 0, R"({\"q\":1})"},
                     ToolEnded{0, 0}, Finished{0, Finish::tool_calls, ""}, Ended{}}),
              around(R"({"index":0,"message":{"role":"assistant","content":null,"refusal":null,)"
                     R"("annotations":[],"tool_calls":[{"id":"call_1",)"
                     R"("type":"function","function":{"name":"find","arguments":"{\"q\":1}"}}]},)"
                     R"("logprobs":null,"finish_reason":"tool_calls"})",
                     no_usage));
}

TEST(OpenAiDialect, KeepsReasoningRefusalAnnotationsAndLogprobsApart) {
    EXPECT_EQ(
        whole({Reasoning{0, "hm"}, Refusal{0, "No."}, Citation{.choice = 0, .url = "a"},
               Citation{.choice = 0, .kind = Citation::Kind::pages, .title = "not a page"},
               Citation{.choice = 0, .url = "b", .title = "B"}, logprob("1"), logprob("2"),
               Finished{0, Finish::stop, ""}, Ended{}}),
        around(
            R"({"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"hm",)"
            R"("refusal":"No.","annotations":[)"
            R"({"type":"url_citation","url_citation":{"start_index":0,"end_index":0,"url":"a","title":""}},)"
            R"({"type":"url_citation","url_citation":{"start_index":0,"end_index":0,"url":"b","title":"B"}}],)"
            R"("citations":[{"type":"pages","title":"not a page"}]},"logprobs":{"content":[{"token":"1","logprob":-1,"bytes":null,"top_logprobs":[]},)"
            R"({"token":"2","logprob":-1,"bytes":null,"top_logprobs":[]}],)"
            R"("refusal":null},"finish_reason":"stop"})",
            no_usage));
}

TEST(OpenAiDialect, HasImagesAndTheAudioOfAllItsPieces) {
    EXPECT_EQ(
        whole({Text{0, "a"}, Media{0, Media::Kind::image, "image/png", "eA=="},
               Finished{0, Finish::stop, ""}, Ended{}}),
        around(
            R"({"index":0,"message":{"role":"assistant","content":"a",)"
            R"("refusal":null,"annotations":[],"images":[{"type":"image_url","image_url":{"url":)"
            R"("data:image/png;base64,eA=="}}]},)"
            R"("logprobs":null,"finish_reason":"stop"})",
            no_usage));
    const Media first{
        .choice = 0, .kind = Media::Kind::audio, .data = "AQI=", .id = "x", .transcript = "Hi "};
    const Media last{.choice = 0,
                     .kind = Media::Kind::audio,
                     .data = "AwQ=",
                     .transcript = "you",
                     .expires_at = 7};
    EXPECT_EQ(
        whole({first, last, Finished{0, Finish::stop, ""}, Ended{}}),
        around(
            R"({"index":0,"message":{"role":"assistant","content":null,"refusal":null,"annotations":[],"audio":{"id":"x",)"
            R"("expires_at":7,"data":"AQIDBA==","transcript":"Hi you"}},"logprobs":null,"finish_reason":"stop"})",
            no_usage));
}

TEST(OpenAiDialect, JoinsWhatComesInSeveralItems) {
    EXPECT_EQ(
        whole({Reasoning{0, "h"}, ReasoningSigned{0, "s", "a/b"}, ItemEnded{0}, Text{0, "a"},
               ItemEnded{0}, Reasoning{0, "m"}, Text{0, "b"}, ReasoningEncrypted{0, "d", "a/b"},
               Finished{0, Finish::pause, ""}, Ended{}}),
        around(
            R"({"index":0,"message":{"role":"assistant","content":"ab",)"
            R"("reasoning_content":"hm","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"})",
            no_usage));
}

TEST(OpenAiDialect, HidesReasoningWhereTheClientAskedForThat) {
    Envelope envelope = golden;
    envelope.reasoning = Envelope::Reasoning::hidden;
    EXPECT_EQ(
        whole({Reasoning{0, "hm"}, Text{0, "4"}, Finished{0, Finish::stop, ""}, Ended{}}, envelope),
        around(
            R"({"index":0,"message":{"role":"assistant","content":"4","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"})",
            no_usage));
}

TEST(OpenAiDialect, HasEmptyTextForAnAnswerWithoutOutput) {
    EXPECT_EQ(
        whole({Ended{}}),
        around(
            R"({"index":0,"message":{"role":"assistant","content":"","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"})",
            no_usage));
}

TEST(OpenAiDialect, WritesAnErrorBodyInOpenAisOrder) {
    EXPECT_EQ(
        chat_api().error_body({ErrorKind::missing_required_field, "no \"messages\"", "messages"}),
        R"({"error":{"message":"no \"messages\"","type":"invalid_request_error","param":"messages",)"
        R"("code":"missing_required_field"}})");
    EXPECT_EQ(
        chat_api().error_body({ErrorKind::upstream_timeout, "too slow"}),
        R"({"error":{"message":"too slow","type":"server_error","param":null,"code":"upstream_timeout"}})");
}

TEST(DialectRegistry, FindsDialectsByName) {
    EXPECT_EQ(dialect_named("OpenAI"), nullptr);
    const auto names = chat_dialect_names();
    ASSERT_EQ(names.size(), 4U);
    EXPECT_EQ(names.front(), "openai");
    for (const std::string_view name : names) {
        ASSERT_NE(dialect_named(name), nullptr) << name;
        EXPECT_EQ(dialect_named(name)->name(), name);
        EXPECT_EQ(dialect_named(chat_api(), name), dialect_named(name));
    }
}

}  // namespace
}  // namespace runnel::api
