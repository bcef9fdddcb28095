#include "corpus.hpp"
#include "transcoding.hpp"

#include <ostream>

namespace runnel::conformance {
namespace {

struct Case {
    std::string_view from;
    std::string_view native;
    std::string_view ours;
};

void PrintTo(const Case& value, std::ostream* out) { *out << value.from << " " << value.native; }

// An answer that says "x" and ends with this reason.
std::string answer_ending(const Case& value) {
    const std::string native = "\"" + std::string(value.native) + "\"";
    if (value.from == "anthropic")
        return sse(
            {R"({"type":"message_start","message":{"usage":{"input_tokens":1}}})",
             R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
             R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}})",
             R"({"type":"content_block_stop","index":0})",
             R"({"type":"message_delta","delta":{"stop_reason":)" + native + "}}",
             R"({"type":"message_stop"})"});
    if (value.from == "gemini")
        return sse({R"({"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":)" +
                    native + "}]}"});
    if (value.from == "ollama")
        return json_lines(
            {R"({"message":{"content":"x"},"done":true,"done_reason":)" + native + "}"});
    return openai_sse(
        {R"({"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":)" + native + "}]}"});
}

class FinishReason : public testing::TestWithParam<Case> {};

TEST_P(FinishReason, IsOneOfOurs) {
    const Answer answer = streamed_answer(GetParam().from, answer_ending(GetParam()));
    if (GetParam().ours == "error") {
        EXPECT_TRUE(answer.failed);
        return;
    }
    EXPECT_EQ(only_choice(answer).finish, GetParam().ours);
}

constexpr Case cases[] = {
    {"openai", "stop", "stop"},
    {"together", "eos", "stop"},
    {"openai-compatible", "eos_token", "stop"},
    {"openai-compatible", "end_turn", "stop"},
    {"openai-compatible", "COMPLETE", "stop"},
    {"openai-compatible", "something new", "stop"},
    {"openai", "length", "length"},
    {"mistral", "model_length", "length"},
    {"openai", "content_filter", "content_filter"},
    {"openai-compatible", "sensitive", "content_filter"},
    {"openai-compatible", "safety", "content_filter"},
    {"openrouter", "error", "error"},
    {"mistral", "error", "error"},
    {"vllm", "abort", "error"},
    {"openai-compatible", "aborted", "error"},
    {"openai-compatible", "network_error", "error"},
    {"deepseek", "insufficient_system_resource", "error"},
    {"anthropic", "end_turn", "stop"},
    {"anthropic", "stop_sequence", "stop"},
    {"anthropic", "pause_turn", "stop"},
    {"anthropic", "something_new", "stop"},
    {"anthropic", "max_tokens", "length"},
    {"anthropic", "model_context_window_exceeded", "length"},
    {"anthropic", "compaction", "length"},
    {"anthropic", "refusal", "content_filter"},
    {"gemini", "STOP", "stop"},
    {"gemini", "OTHER", "stop"},
    {"gemini", "SOMETHING_NEW", "stop"},
    {"gemini", "MAX_TOKENS", "length"},
    {"gemini", "SAFETY", "content_filter"},
    {"gemini", "RECITATION", "content_filter"},
    {"gemini", "BLOCKLIST", "content_filter"},
    {"gemini", "PROHIBITED_CONTENT", "content_filter"},
    {"gemini", "SPII", "content_filter"},
    {"gemini", "LANGUAGE", "content_filter"},
    {"gemini", "IMAGE_SAFETY", "content_filter"},
    {"gemini", "MALFORMED_FUNCTION_CALL", "error"},
    {"gemini", "UNEXPECTED_TOOL_CALL", "error"},
    {"ollama", "stop", "stop"},
    {"ollama", "load", "stop"},
    {"ollama", "length", "length"},
};

INSTANTIATE_TEST_SUITE_P(Table, FinishReason, testing::ValuesIn(cases), [](const auto& info) {
    return test_name_of(std::string(info.param.from) + "_" + std::string(info.param.native));
});

constexpr std::string_view openai_call =
    R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function",)"
    R"("function":{"name":"f","arguments":"{}"}}]}}]})";

std::string openai_call_ending(const std::string& native) {
    return openai_sse({openai_call, R"({"choices":[{"index":0,"delta":{},"finish_reason":")" +
                                        native + R"("}]})"});
}

TEST(FinishReasonOfCalls, IsToolCallsWhateverTheProviderSays) {
    for (const std::string native : {"tool_calls", "stop", "function_call", "tool_call", "eos", ""})
        EXPECT_EQ(only_choice(streamed_answer("openai", openai_call_ending(native))).finish,
                  "tool_calls")
            << native;
    EXPECT_EQ(only_choice(streamed_answer("xai", openai_call_ending(""))).finish, "tool_calls");
    EXPECT_EQ(only_choice(
                  streamed_answer(
                      "gemini",
                      sse({R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},)"
                           R"("finishReason":"STOP"}]})"})))
                  .finish,
              "tool_calls");
    EXPECT_EQ(
        only_choice(
            streamed_answer(
                "ollama",
                json_lines({R"({"message":{"content":"","tool_calls":[{"function":{"name":"f",)"
                            R"("arguments":{}}}]},"done":true,"done_reason":"stop"})"})))
            .finish,
        "tool_calls");
}

TEST(FinishReasonOfCalls, IsLengthWhenTheyWereCutShort) {
    EXPECT_EQ(only_choice(streamed_answer("openai", openai_call_ending("length"))).finish,
              "length");
    EXPECT_EQ(only_choice(
                  streamed_answer(
                      "gemini",
                      sse({R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},)"
                           R"("finishReason":"MAX_TOKENS"}]})"})))
                  .finish,
              "length");
}

TEST(FinishReasonOfGemini, IsContentFilterWhenThePromptWasBlocked) {
    for (const std::string reason :
         {"SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "MODEL_ARMOR"}) {
        const std::string blocked = R"({"promptFeedback":{"blockReason":")" + reason + R"("}})";
        EXPECT_EQ(only_choice(streamed_answer("gemini", sse({blocked}))).finish, "content_filter")
            << reason;
        cli::TranscodeOptions options;
        options.from = "gemini";
        EXPECT_EQ(only_choice(folded_answer(options, blocked)).finish, "content_filter") << reason;
    }
}

TEST(FinishReasonOfGemini, IsContentFilterWhenOtherComesWithNothing) {
    EXPECT_EQ(only_choice(
                  streamed_answer("gemini", sse({R"({"candidates":[{"finishReason":"OTHER"}]})"})))
                  .finish,
              "content_filter");
}

TEST(FinishReasonOfGemini, MayBeANumber) {
    EXPECT_EQ(
        only_choice(
            streamed_answer(
                "gemini",
                R"([{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":1}]}])"))
            .finish,
        "stop");
    EXPECT_EQ(
        only_choice(
            streamed_answer(
                "gemini",
                R"([{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":2}]}])"))
            .finish,
        "length");
}

}  // namespace
}  // namespace runnel::conformance
