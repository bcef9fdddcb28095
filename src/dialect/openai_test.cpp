#include "dialect/registry.hpp"
#include "support/golden_envelope.hpp"

#include <gtest/gtest.h>

namespace runnel::dialect {
namespace {

using namespace timeline;

using testing::golden;

std::string whole(const std::vector<Event>& events, const Envelope& envelope = golden) {
    return testing::whole(openai(), envelope, events);
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
            R"({"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"})",
            R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":9})"));
}

TEST(OpenAiDialect, HasNullContentBesideToolCallsAlone) {
    EXPECT_EQ(
        whole({ToolStarted{0, 0, "call_1", "find"}, ToolArguments{0, 0, R"({\"q\":1})"},
               ToolEnded{0, 0}, Finished{0, Finish::tool_calls, ""}, Ended{}}),
        around(
            R"({"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1",)"
            R"("type":"function","function":{"name":"find","arguments":"{\"q\":1}"}}]},)"
            R"("finish_reason":"tool_calls"})",
            no_usage));
}

TEST(OpenAiDialect, KeepsReasoningRefusalAnnotationsAndLogprobsApart) {
    EXPECT_EQ(
        whole({Reasoning{0, "hm"}, Refusal{0, "No."}, Annotation{0, R"({"a": 1})"},
               Annotation{0, R"({"b":2})"}, Logprobs{0, R"({"content":[1]})"},
               Logprobs{0, R"({"content":[2]})"}, Finished{0, Finish::stop, ""}, Ended{}}),
        around(
            R"({"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"hm",)"
            R"("refusal":"No.","annotations":[{"a":1},{"b":2}]},)"
            R"("logprobs":{"content":[1,2],"refusal":null},"finish_reason":"stop"})",
            no_usage));
}

TEST(OpenAiDialect, HasImagesAndTheAudioOfAllItsPieces) {
    EXPECT_EQ(whole({Text{0, "a"}, Media{0, Media::Kind::image, R"({"b": 1})"},
                     Finished{0, Finish::stop, ""}, Ended{}}),
              around(R"({"index":0,"message":{"role":"assistant","content":"a",)"
                     R"("images":[{"b":1}]},"finish_reason":"stop"})",
                     no_usage));
    const Media first{0, Media::Kind::audio, R"({"id":"x","transcript":"Hi ","data":"AQI="})"};
    const Media last{0, Media::Kind::audio, R"({"data":"AwQ=","transcript":"you","expires_at":7})"};
    EXPECT_EQ(
        whole({first, last, Finished{0, Finish::stop, ""}, Ended{}}),
        around(
            R"({"index":0,"message":{"role":"assistant","content":null,"audio":{"id":"x",)"
            R"("expires_at":7,"data":"AQIDBA==","transcript":"Hi you"}},"finish_reason":"stop"})",
            no_usage));
}

TEST(OpenAiDialect, HidesReasoningWhereTheClientAskedForThat) {
    Envelope envelope = golden;
    envelope.reasoning = Envelope::Reasoning::hidden;
    EXPECT_EQ(
        whole({Reasoning{0, "hm"}, Text{0, "4"}, Finished{0, Finish::stop, ""}, Ended{}}, envelope),
        around(R"({"index":0,"message":{"role":"assistant","content":"4"},"finish_reason":"stop"})",
               no_usage));
}

TEST(OpenAiDialect, HasEmptyTextForAnAnswerWithoutOutput) {
    EXPECT_EQ(
        whole({Ended{}}),
        around(R"({"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"})",
               no_usage));
}

TEST(OpenAiDialect, WritesAnErrorBodyInOpenAisOrder) {
    EXPECT_EQ(
        openai().error_body({ErrorKind::missing_required_field, "no \"messages\"", "messages"}),
        R"({"error":{"message":"no \"messages\"","type":"invalid_request_error","param":"messages",)"
        R"("code":"missing_required_field"}})");
    EXPECT_EQ(
        openai().error_body({ErrorKind::upstream_timeout, "too slow"}),
        R"({"error":{"message":"too slow","type":"server_error","param":null,"code":"upstream_timeout"}})");
}

TEST(DialectRegistry, FindsDialectsByName) {
    EXPECT_EQ(dialect_named("openai"), &openai());
    EXPECT_EQ(dialect_named("timeline"), &dialect::timeline());
    EXPECT_EQ(dialect_named("agent"), &agent());
    EXPECT_EQ(dialect_named("agent-raw"), &agent_raw());
    EXPECT_EQ(dialect_named("OpenAI"), nullptr);
    EXPECT_EQ(names().size(), 4U);
    EXPECT_EQ(names().front(), "openai");
}

}  // namespace
}  // namespace runnel::dialect
