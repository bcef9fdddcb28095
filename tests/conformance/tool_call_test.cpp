#include "transcoding.hpp"

namespace runnel::conformance {
namespace {

std::string openai_calls(std::initializer_list<std::string_view> deltas) {
    std::string stream;
    for (const std::string_view delta : deltas)
        stream += sse(
            {R"({"choices":[{"index":0,"delta":{"tool_calls":[)" + std::string(delta) + "]}}]}"});
    return stream +
           openai_sse({R"({"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})"});
}

std::vector<ToolCall> calls_of(std::string_view from, const std::string& upstream) {
    const Choice choice = only_choice(streamed_answer(from, upstream));
    EXPECT_EQ(choice.finish, "tool_calls") << upstream;
    return choice.tool_calls;
}

constexpr std::string_view anthropic_start =
    R"({"type":"message_start","message":{"usage":{"input_tokens":1}}})";
constexpr std::string_view anthropic_tool_finish =
    R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})";
constexpr std::string_view anthropic_stop = R"({"type":"message_stop"})";

TEST(ToolCalls, AreNumberedDenselyWhateverTheBlocksAre) {
    const auto calls = calls_of(
        "anthropic",
        sse({anthropic_start,
             R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
             R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}})",
             R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"f","input":{}}})",
             R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}})",
             R"({"type":"content_block_stop","index":1})",
             R"({"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"s","name":"search","input":{}}})",
             R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}})",
             R"({"type":"content_block_stop","index":2})",
             R"({"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t3","name":"g","input":{}}})",
             R"({"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"b\":2}"}})",
             R"({"type":"content_block_stop","index":3})", anthropic_tool_finish, anthropic_stop}));
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].id, "call_t1");
    EXPECT_EQ(calls[0].arguments, R"({"a":1})");
    EXPECT_EQ(calls[1].id, "call_t3");
    EXPECT_EQ(calls[1].arguments, R"({"b":2})");
}

TEST(ToolCalls, WithoutInputHaveAnEmptyObject) {
    const auto calls = calls_of(
        "anthropic",
        sse({anthropic_start,
             R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}})",
             R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}})",
             R"({"type":"content_block_stop","index":0})", anthropic_tool_finish, anthropic_stop}));
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].arguments, "{}");
}

TEST(ToolCalls, TakeTheInputThatCameWithTheBlock) {
    const auto calls = calls_of(
        "anthropic",
        sse({anthropic_start,
             R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{"z":1,"a":[2]}}})",
             R"({"type":"content_block_stop","index":0})", anthropic_tool_finish, anthropic_stop}));
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].arguments, R"({"z":1,"a":[2]})");
}

TEST(ToolCalls, MayBeInTheMessageFromTheStart) {
    const auto calls = calls_of(
        "anthropic",
        sse({R"({"type":"message_start","message":{"content":[{"type":"tool_use","id":"t","name":"f","input":{"p":1}}],)"
             R"("stop_reason":"tool_use","usage":{"input_tokens":0,"output_tokens":0}}})",
             anthropic_stop}));
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].id, "call_t");
    EXPECT_EQ(calls[0].arguments, R"({"p":1})");
}

TEST(ToolCalls, WaitForTheirNameAndId) {
    const auto calls = calls_of(
        "openai", openai_calls({R"({"index":0,"function":{"arguments":"{\"a\""}})",
                                R"({"index":0,"id":"c1","function":{"name":"f","arguments":":"}})",
                                R"({"index":0,"function":{"arguments":"1}"}})"}));
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].id, "c1");
    EXPECT_EQ(calls[0].name, "f");
    EXPECT_EQ(calls[0].arguments, R"({"a":1})");
}

TEST(ToolCalls, WithoutIdGetOne) {
    for (const std::string_view id : {R"("id":"",)", R"("id":null,)", ""}) {
        const auto calls = calls_of(
            "openai",
            openai_calls({R"({"index":0,)" + std::string(id) +
                              R"("type":"function","function":{"name":"f","arguments":"{}"}})",
                          R"({"index":1,)" + std::string(id) +
                              R"("type":"function","function":{"name":"f","arguments":"{}"}})"}));
        ASSERT_EQ(calls.size(), 2u) << id;
        EXPECT_TRUE(calls[0].id.starts_with("call_")) << calls[0].id;
        EXPECT_NE(calls[0].id, calls[1].id);
    }
}

TEST(ToolCalls, WithoutIndexAreTakenInOrder) {
    const auto calls = calls_of(
        "mistral",
        openai_calls({R"({"id":"aaaaaaaaa","function":{"name":"f","arguments":"{\"a\":1}"}},)"
                      R"({"id":"bbbbbbbbb","function":{"name":"g","arguments":"{\"b\":2}"}})"}));
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].name, "f");
    EXPECT_EQ(calls[1].name, "g");
    EXPECT_EQ(calls[1].arguments, R"({"b":2})");
}

TEST(ToolCalls, MayStartTheirNumbersAnywhere) {
    const auto calls = calls_of(
        "openai-compatible",
        openai_calls(
            {R"({"index":3,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}})",
             R"({"index":7,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}})"}));
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].id, "a");
    EXPECT_EQ(calls[1].id, "b");
}

TEST(ToolCalls, MayRepeatTheirIdAndNameOrLeaveThemEmpty) {
    const auto calls = calls_of(
        "openrouter",
        openai_calls(
            {R"({"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}})",
             R"({"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\""}})",
             R"({"index":0,"id":"","type":"","function":{"name":"","arguments":":1"}})",
             R"({"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"}"}})",
             R"({"index":0,"function":{"arguments":null}})"}));
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].name, "f");
    EXPECT_EQ(calls[0].arguments, R"({"a":1})");
}

TEST(ToolCalls, UnderAnotherIdAreOtherCalls) {
    const auto calls = calls_of(
        "openrouter",
        openai_calls(
            {R"({"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}})",
             R"({"index":0,"id":"c2","type":"function","function":{"name":"f","arguments":"{\"a\":2}"}})"}));
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].arguments, R"({"a":1})");
    EXPECT_EQ(calls[1].id, "c2");
    EXPECT_EQ(calls[1].arguments, R"({"a":2})");
}

TEST(ToolCalls, InTheLegacyFormAreToolCallsToo) {
    cli::TranscodeOptions options;
    options.from = "openai";
    const Choice choice = only_choice(folded_answer(
        options,
        R"({"choices":[{"index":0,"message":{"role":"assistant","content":null,)"
        R"("function_call":{"name":"f","arguments":"{\"a\":1}"}},"finish_reason":"function_call"}]})"));
    ASSERT_EQ(choice.tool_calls.size(), 1u);
    EXPECT_EQ(choice.tool_calls[0].arguments, R"({"a":1})");
    EXPECT_EQ(choice.finish, "tool_calls");
}

TEST(ToolCalls, OfGeminiNeedNeitherIdNorFinishReasonOfTheirOwn) {
    const auto calls = calls_of(
        "gemini",
        sse({R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"b":1,"a":2}}},{"functionCall":{"name":"g"}}]}}]})",
             R"({"candidates":[{"finishReason":"STOP"}]})"}));
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].arguments, R"({"b":1,"a":2})");
    EXPECT_EQ(calls[1].arguments, "{}");
    EXPECT_NE(calls[0].id, calls[1].id);
}

TEST(ToolCalls, OfGeminiMayComeInPieces) {
    const auto calls = calls_of(
        "gemini",
        sse({R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]})",
             R"({"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.o.s","stringValue":"a\"","willContinue":true}],"willContinue":true}}]}}]})",
             R"({"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.o.s","stringValue":"b"}],"willContinue":true}}]}}]})",
             R"({"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.o.l[0]","numberValue":1.5},{"jsonPath":"$.o.l[1]","boolValue":true}],"willContinue":true}}]}}]})",
             R"({"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.n","nullValue":"NULL_VALUE"}],"willContinue":true}}]}}]})",
             R"({"candidates":[{"content":{"parts":[{"functionCall":{}}]},"finishReason":"STOP"}]})"}));
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].arguments, R"({"o":{"s":"a\"b","l":[1.5,true]},"n":null})");
}

TEST(ToolCalls, OfOllamaHaveAnObjectForArguments) {
    const auto calls = calls_of(
        "ollama",
        json_lines(
            {R"({"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{"z":1,"a":"b"}}},{"function":{"name":"f","arguments":{}}}]},"done":false})",
             R"({"message":{"content":""},"done":true,"done_reason":"stop"})"}));
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].arguments, R"({"z":1,"a":"b"})");
    EXPECT_EQ(calls[1].arguments, "{}");
}

}  // namespace
}  // namespace runnel::conformance
