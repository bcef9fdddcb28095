#include "plain_reading.hpp"

#include "corpus.hpp"

#include <gtest/gtest.h>

// The plain reading is what everything else is compared with, so it is held to a few facts that
// were read off the recordings by eye.
namespace runnel::conformance {
namespace {

Answer reading_of(std::string_view name) {
    for (const Recording& recording : corpus())
        if (recording.name() == name)
            return read_plainly(recording.format, recording.from(), recording.bytes());
    ADD_FAILURE() << "no recording " << name;
    return {};
}

class PlainReading : public testing::Test {
protected:
    void SetUp() override { RUNNEL_SKIP_WITHOUT_CORPUS(); }
};

TEST_F(PlainReading, MakesSenseOfEveryRecording) {
    for (const Recording& recording : corpus()) {
        if (recording.kind == Kind::error || is_no_chat_answer(recording)) continue;
        Answer answer;
        ASSERT_NO_THROW(answer =
                            read_plainly(recording.format, recording.from(), recording.bytes()))
            << recording.name();
        EXPECT_TRUE(answer.failed || !answer.choices.empty()) << recording.name();
        EXPECT_FALSE(answer.end_is_doubtful) << recording.name();
        for (const auto& [index, choice] : answer.choices)
            EXPECT_TRUE(answer.failed || !choice.finish.empty()) << recording.name();
    }
}

TEST_F(PlainReading, FindsExactlyTheRecordingsThatFail) {
    std::vector<std::string> failed;
    for (const Recording& recording : corpus())
        if (recording.kind != Kind::error && !is_no_chat_answer(recording) &&
            read_plainly(recording.format, recording.from(), recording.bytes()).failed)
            failed.push_back(recording.name());
    const std::vector<std::string> expected = {
        "anthropic/composite-overloaded_first.sse",
        "anthropic/composite-overloaded_in_text.sse",
        "anthropic/composite-overloaded_in_tool_input.sse",
        "bedrock/req_llm-converse_stream_validation_exception-0c7d9d.eventstream",
        "groq/pydantic-ai-test_tool_use_failed_error_streaming_with_text-564fca.sse",
        "groq/req_llm-meta_llama_llama_4_scout_17b_16e_instruct-object_streaming-c2a920.sse",
        "openrouter/pydantic-ai-test_openrouter_stream_error-19ec71.sse",
        "openrouter/req_llm-google_gemini_2_5_flash_lite-object_streaming-16d2ae.sse",
        "vertexai/firebase-streaming-failure-error-mid-stream-d88440.sse",
        "vertexai/"
        "pydantic-ai-test_multimodal_tool_return_matrix_direct-url_force_download-audio-googl-"
        "427125.json",
    };
    EXPECT_EQ(failed, expected);
}

TEST_F(PlainReading, BuildsGeminisArgumentsFromTheirPieces) {
    const Answer answer = reading_of(
        "gemini/"
        "ai-google-stream-tool-call-array-arguments-missing-terminal-function-call-a93770.sse");
    ASSERT_EQ(answer.choices.at(0).tool_calls.size(), 1u);
    EXPECT_EQ(
        answer.choices.at(0).tool_calls[0].arguments,
        R"({"operations":[{"action":"add","description":"Fresh red apple","itemid":"apple_001","price":0.5},)"
        R"({"action":"add","description":"Ripe yellow banana","itemid":"banana_001","price":0.3}]})");
}

TEST_F(PlainReading, TakesTheLaterFinish) {
    const Answer answer =
        reading_of("vertexai/firebase-streaming-failure-recitation-no-content-e9a605.sse");
    EXPECT_EQ(answer.choices.at(0).text, "Copyrighted text goes hereMore copyrighted text");
    EXPECT_EQ(answer.choices.at(0).finish, "content_filter");
}

TEST_F(PlainReading, EndsAtAnthropicsFirstMessageStop) {
    const Answer answer =
        reading_of("anthropic/ai-anthropic-programmatic-tool-calling.1-17cf4c.sse");
    ASSERT_EQ(answer.choices.at(0).tool_calls.size(), 1u);
    EXPECT_EQ(answer.choices.at(0).tool_calls[0].id, "call_toolu_019jKkXz4jAdwHweHBw92CVY");
    EXPECT_EQ(answer.usage->total, 3369 + 725);
}

TEST_F(PlainReading, FindsMoonshotsUsageInTheChoice) {
    const Answer answer = reading_of("moonshot/gomodel-chat_completion_stream-81eb49.sse");
    EXPECT_EQ(answer.choices.at(0).text, "");
    EXPECT_TRUE(answer.choices.at(0).reasoning.starts_with("We need respond to user."));
    EXPECT_EQ(answer.usage->total, 68);
    EXPECT_EQ(answer.usage->cached, 18);
}

TEST_F(PlainReading, AddsXaisReasoning) {
    const Answer answer = reading_of("xai/req_llm-grok_3_mini-basic-066ecb.json");
    EXPECT_EQ(answer.usage->prompt, 10);
    EXPECT_EQ(answer.usage->completion, 390);
}

TEST_F(PlainReading, KeepsChoicesApart) {
    const Answer answer =
        reading_of("openai/dd-trace-py-completion_stream_multiple_choices_with_tools-f34327.sse");
    ASSERT_EQ(answer.choices.size(), 2u);
    EXPECT_EQ(answer.choices.at(0).tool_calls[0].arguments, R"({"location":"San Francisco, CA"})");
    EXPECT_EQ(answer.choices.at(1).tool_calls[0].arguments,
              R"({"location":"San Francisco, CA","unit":"celsius"})");
}

TEST_F(PlainReading, TakesThinkTagsForReasoning) {
    const Answer answer = reading_of("minimax/gomodel-prod_m27_nested-6f3cc8.json");
    EXPECT_EQ(answer.choices.at(0).reasoning, "\ninner\n");
    EXPECT_EQ(answer.choices.at(0).text, "inner");
}

}  // namespace
}  // namespace runnel::conformance
