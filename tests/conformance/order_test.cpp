#include "transcoding.hpp"

#include <gtest/gtest.h>

namespace runnel::conformance {
namespace {

constexpr std::string_view head =
    R"({"id":"chatcmpl-T","object":"chat.completion.chunk","created":1700000000,"model":"m1","choices":[{"index":0,)";

std::string frame(std::string_view delta, std::string_view finish = "null") {
    return "data: " + std::string(head) + "\"delta\":" + std::string(delta) +
           ",\"finish_reason\":" + std::string(finish) + "}]}\n\n";
}

const std::string role = frame(R"({"role":"assistant","content":""})");
const std::string done = "data: [DONE]\n\n";

TEST(Order, EmptyChunksAreSwallowed) {
    const std::string upstream = golden_file("v01_text/upstream.sse");
    const std::string nothing = sse({
        R"({"choices":[{"index":0,"delta":{},"finish_reason":null}]})",
        R"({"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]})",
        R"({"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]})",
        R"({"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]})",
        R"({"choices":[{"index":0,"delta":{"tool_calls":[]}}]})",
        R"({"choices":[{"index":0,"delta":{"tool_calls":null,"reasoning":"","refusal":null}}]})",
        R"({"choices":[{"index":0,"delta":null}]})",
        R"({"choices":[{"index":0}]})",
        R"({"choices":[]})",
        R"({"choices":[],"usage":null})",
    });
    for (std::size_t at = 0; at < upstream.find("data: [DONE]");
         at = upstream.find("data: ", at + 1)) {
        std::string padded = upstream;
        padded.insert(at, nothing);
        EXPECT_EQ(transcoded("openai", padded), golden_file("v01_text/openai.sse"))
            << "inserted at " << at;
    }
}

TEST(Order, TheFinishComesOnceAndAlone) {
    const std::string upstream =
        openai_sse({R"({"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]})",
                    R"({"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]})"});
    EXPECT_EQ(transcoded("openai", upstream),
              role + frame(R"({"content":"x"})") + frame("{}", R"("stop")") + done);
}

TEST(Order, AStreamCutBeforeItsFinishIsAnError) {
    const std::string upstream = sse({R"({"choices":[{"index":0,"delta":{"content":"a"}}]})",
                                      R"({"choices":[{"index":0,"delta":{"content":"b"}}]})"});
    const std::string client = transcoded("openai", upstream);
    const std::string shown = role + frame(R"({"content":"a"})") + frame(R"({"content":"b"})");
    EXPECT_TRUE(client.starts_with(shown + R"(data: {"error":{)")) << client;
    EXPECT_NE(client.find(R"("code":"upstream_error")"), std::string::npos) << client;
    EXPECT_TRUE(nothing_in(read_client_stream(client, {}).report()));
}

TEST(Order, AStreamCutAfterItsFinishIsWhole) {
    const std::string upstream =
        sse({R"({"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]})"});
    EXPECT_EQ(transcoded("openai", upstream),
              role + frame(R"({"content":"a"})") + frame("{}", R"("stop")") + done);
}

TEST(Order, AnEndMarkerWithoutAFinishIsAnEnd) {
    const std::string upstream =
        openai_sse({R"({"choices":[{"index":0,"delta":{"content":"a"}}]})"});
    EXPECT_EQ(transcoded("openai", upstream),
              role + frame(R"({"content":"a"})") + frame("{}", R"("stop")") + done);
}

TEST(Order, AnAnswerWithNothingInItIsARoleAndAFinish) {
    const std::string expected = role + frame("{}", R"("stop")") + done;
    EXPECT_EQ(
        transcoded("openai",
                   openai_sse({R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"})),
        expected);
    EXPECT_EQ(transcoded("anthropic",
                         sse({R"({"type":"message_start","message":{"usage":{"input_tokens":1}}})",
                              R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})",
                              R"({"type":"message_stop"})"})),
              expected);
    EXPECT_EQ(transcoded("gemini", sse({R"({"candidates":[{"finishReason":"STOP"}]})"})), expected);
    EXPECT_EQ(transcoded("ollama", "{\"message\":{\"content\":\"\"},\"done\":true}\n"), expected);
}

TEST(Order, TextReasoningAndCallsKeepTheirPlaces) {
    const std::string upstream = sse({
        R"({"type":"message_start","message":{"usage":{"input_tokens":1}}})",
        R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a"}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"zz"}})",
        R"({"type":"content_block_stop","index":0})",
        R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
        R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"b"}})",
        R"({"type":"content_block_stop","index":1})",
        R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}})",
        R"({"type":"content_block_stop","index":2})",
        R"({"type":"content_block_start","index":3,"content_block":{"type":"text","text":""}})",
        R"({"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"c"}})",
        R"({"type":"content_block_stop","index":3})",
        R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})",
        R"({"type":"message_stop"})",
    });
    EXPECT_EQ(transcoded("anthropic", upstream),
              role + frame(R"({"reasoning_content":"a"})") + frame(R"({"content":"b"})") +
                  frame(R"({"tool_calls":[{"index":0,"id":"call_t","type":"function",)"
                        R"("function":{"name":"f","arguments":""}}]})") +
                  frame(R"({"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]})") +
                  frame(R"({"content":"c"})") + frame("{}", R"("tool_calls")") + done);
}

TEST(Order, ChoicesStayApart) {
    const std::string upstream = openai_sse(
        {R"({"choices":[{"index":0,"delta":{"content":"a"}}]})",
         R"({"choices":[{"index":1,"delta":{"content":"x"}}]})",
         R"({"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]})",
         R"({"choices":[{"index":1,"delta":{"content":"y"},"finish_reason":"length"}]})"});
    const Answer answer = streamed_answer("openai", upstream);
    ASSERT_EQ(answer.choices.size(), 2u);
    EXPECT_EQ(answer.choices.at(0).text, "ab");
    EXPECT_EQ(answer.choices.at(0).finish, "stop");
    EXPECT_EQ(answer.choices.at(1).text, "xy");
    EXPECT_EQ(answer.choices.at(1).finish, "length");
}

}  // namespace
}  // namespace runnel::conformance
