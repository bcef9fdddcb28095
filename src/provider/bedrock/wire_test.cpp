#include "provider/bedrock/wire.hpp"

#include "base/base64.hpp"
#include "provider/core/answer_reader.hpp"
#include "provider/registry.hpp"
#include "support/event_stream_messages.hpp"
#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace runnel::provider::bedrock {
namespace {

using testing::event_message;
using testing::exception_message;
using testing::TimelineRecorder;

std::string told(std::string_view bytes, std::size_t split = std::string_view::npos) {
    json::Parser parser;
    IdSource ids(1);
    TimelineRecorder recorder;
    ProviderConfig config{.name = "aws", .kind = "bedrock", .base_url = ""};
    config.cloud.region = "us-east-1";
    const auto bedrock = make_provider(config);
    AnswerReader reader((*bedrock)->make_wire(&parser), (*bedrock)->turn_options("amazon.nova"),
                        &recorder, &ids);
    for (std::size_t at = 0; at < bytes.size(); at += std::min(split, bytes.size())) {
        std::string piece(bytes.substr(at, split));
        reader.feed(Padded::of(piece));
    }
    reader.finish();
    return recorder.text();
}

std::string start() { return event_message("messageStart", R"({"role":"assistant","p":"ab"})"); }

std::string delta(int index, std::string_view inside) {
    return event_message("contentBlockDelta", R"({"contentBlockIndex":)" + std::to_string(index) +
                                                  R"(,"delta":{)" + std::string(inside) + "}}");
}

std::string block_stop(int index) {
    return event_message("contentBlockStop",
                         R"({"contentBlockIndex":)" + std::to_string(index) + "}");
}

std::string stop(std::string_view reason) {
    return event_message("messageStop", R"({"stopReason":")" + std::string(reason) + R"("})");
}

const std::string& metadata() {
    static const std::string message = event_message(
        "metadata", R"({"usage":{"inputTokens":7,"outputTokens":3,"totalTokens":15,)"
                    R"("cacheReadInputTokens":4,"cacheWriteInputTokens":1},"metrics":{}})");
    return message;
}

std::string chunk(std::string_view document) {
    return event_message("chunk", R"({"bytes":")" + base64(document) + R"(","p":"abcd"})");
}

TEST(BedrockWire, TellsTextAndCountsAtEverySplit) {
    const std::string wire = start() + delta(0, R"("text":"Hel")") +
                             delta(0, R"("text":"lo \u00e9")") + block_stop(0) + stop("end_turn") +
                             metadata();
    const std::string whole = told(wire);
    EXPECT_EQ(whole, "started\n"
                     "text 0 \"Hel\"\n"
                     "text 0 \"lo é\"\n"
                     "usage fresh=7 cache_read=4 cache_write=1 out=3\n"
                     "finish 0 stop\n"
                     "ended\n");
    for (std::size_t split = 1; split < 40; ++split) EXPECT_EQ(told(wire, split), whole) << split;
}

TEST(BedrockWire, TellsCallsAndKeepsWhatTheyNeed) {
    EXPECT_EQ(
        told(
            start() + delta(0, R"("reasoningContent":{"text":"Hm"})") +
            delta(0, R"("reasoningContent":{"signature":"c2ln"})") + block_stop(0) +
            event_message(
                "contentBlockStart",
                R"({"start":{"toolUse":{"toolUseId":"tooluse_1","name":"find"}},"contentBlockIndex":1})") +
            delta(1, R"("toolUse":{"input":""})") + delta(1, R"("toolUse":{"input":"{\"q\":1}"})") +
            block_stop(1) + stop("tool_use") + metadata()),
        "started\n"
        "reasoning 0 \"Hm\"\n"
        "reasoning_signed 0 \"c2ln\" by bedrock/amazon.nova\n"
        "item_end 0\n"
        "tool 0 #0 id=call_tooluse_1 name=find\n"
        "args 0 #0 \"{\\\"q\\\":1}\"\n"
        "state call_tooluse_1 [{\"reasoningContent\":{\"reasoningText\":{\"text\":\"Hm\","
        "\"signature\":\"c2ln\"}}}]\n"
        "tool_end 0 #0\n"
        "usage fresh=7 cache_read=4 cache_write=1 out=3\n"
        "finish 0 tool_calls\n"
        "ended\n");
}

TEST(BedrockWire, LeavesTheProvidersOwnToolsOut) {
    EXPECT_EQ(told(start() +
                   event_message("contentBlockStart",
                                 R"({"start":{"toolUse":{"toolUseId":"t","name":"nova_grounding",)"
                                 R"("type":"server_tool_use"}},"contentBlockIndex":0})") +
                   delta(0, R"("toolUse":{"input":"{}"})") + block_stop(0) +
                   delta(1, R"("toolResult":[{"text":"hidden"}])") + block_stop(1) +
                   delta(2, R"("text":"Hi")") + block_stop(2) + stop("end_turn")),
              "started\n"
              "text 0 \"Hi\"\n"
              "finish 0 stop\n"
              "ended\n");
}

TEST(BedrockWire, TellsAnExceptionAsTheFailureThatItIs) {
    const std::string end = "ended\n";
    EXPECT_EQ(told(exception_message("throttlingException", R"({"message":"slow"})")),
              "failed upstream_rate_limited\n" + end);
    EXPECT_EQ(told(exception_message("serviceUnavailableException", "{}")),
              "failed upstream_overloaded\n" + end);
    EXPECT_EQ(told(exception_message("validationException",
                                     R"({"message":"Input is too long for requested model."})")),
              "failed context_length_exceeded\n" + end);
    EXPECT_EQ(told(exception_message("modelStreamErrorException",
                                     R"({"message":"x","originalStatusCode":500})")),
              "failed upstream_failed\n" + end);
    EXPECT_EQ(told(start() + delta(0, R"("text":"Hi")") +
                   exception_message("internalServerException", R"({"message":"x"})")),
              "started\ntext 0 \"Hi\"\nfailed upstream_failed\n" + end);
}

TEST(BedrockWire, TakesAGuardrailsWordAsAFilter) {
    EXPECT_EQ(told(start() + delta(0, R"("text":"Blocked")") + stop("guardrail_intervened")),
              "started\n"
              "text 0 \"Blocked\"\n"
              "finish 0 content_filter\n"
              "ended\n");
}

TEST(BedrockWire, FailsWhereTheModelWroteNoAnswer) {
    EXPECT_EQ(told(start() + stop("malformed_tool_use")),
              "started\nfailed upstream_malformed\nended\n");
}

TEST(BedrockWire, FailsWhereTheStreamIsCutOrBroken) {
    const std::string wire = start() + delta(0, R"("text":"Hi")") + stop("end_turn");
    EXPECT_EQ(told(wire.substr(0, wire.size() - 10)),
              "started\ntext 0 \"Hi\"\nfailed upstream_truncated\nended\n");
    std::string bad = wire;
    bad[bad.size() - 20] = '!';
    EXPECT_EQ(told(bad), "started\ntext 0 \"Hi\"\nfailed upstream_malformed\nended\n");
}

TEST(BedrockWire, ReadsWhatClaudeSaysInItsOwnFormat) {
    EXPECT_EQ(
        told(
            chunk(R"({"type":"message_start","message":{"id":"m","usage":{"input_tokens":5}}})") +
            chunk(
                R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}})") +
            chunk(
                R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}})") +
            chunk(R"({"type":"message_stop"})")),
        "started\n"
        "usage fresh=5 out=0\n"
        "native messages usage {\"input_tokens\":5}\n"
        "text 0 \"Hi\"\n"
        "usage fresh=5 out=2\n"
        "native messages usage {\"output_tokens\":2}\n"
        "finish 0 stop\n"
        "ended\n");
}

TEST(BedrockWire, ReadsNovasOwnEvents) {
    EXPECT_EQ(told(chunk(R"({"messageStart":{"role":"assistant"}})") +
                   chunk(R"({"contentBlockDelta":{"delta":{"text":"Hi"},"contentBlockIndex":0}})") +
                   chunk(R"({"contentBlockStop":{"contentBlockIndex":0}})") +
                   chunk(R"({"messageStop":{"stopReason":"end_turn"}})") +
                   chunk(R"({"metadata":{"usage":{"inputTokens":1,"outputTokens":2}}})")),
              "started\n"
              "text 0 \"Hi\"\n"
              "usage fresh=1 out=2\n"
              "finish 0 stop\n"
              "ended\n");
}

TEST(BedrockWire, ReadsAWholeAnswer) {
    EXPECT_EQ(
        told(R"({"output":{"message":{"role":"assistant","content":[)"
             R"({"reasoningContent":{"redactedContent":"c2VjcmV0"}},)"
             R"({"text":"Hi"},{"toolUse":{"toolUseId":"t1","name":"find","input":{"q": 1}}}]}},)"
             R"("stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":2}})"),
        "started\n"
        "reasoning_encrypted 0 \"c2VjcmV0\" by bedrock/amazon.nova\n"
        "text 0 \"Hi\"\n"
        "tool 0 #0 id=call_t1 name=find\n"
        "args 0 #0 \"{\\\"q\\\":1}\"\n"
        "state call_t1 [{\"reasoningContent\":{\"redactedContent\":\"c2VjcmV0\"}}]\n"
        "tool_end 0 #0\n"
        "usage fresh=1 out=2\n"
        "finish 0 tool_calls\n"
        "ended\n");
}

TEST(BedrockWire, FailsOnABodyThatIsNoAnswer) {
    EXPECT_EQ(told(R"({"message":"Too many requests"})"), "failed upstream_failed\nended\n");
    EXPECT_EQ(told("<html>A proxy's page</html>"), "failed upstream_malformed\nended\n");
}

}  // namespace
}  // namespace runnel::provider::bedrock
