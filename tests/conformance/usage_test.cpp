#include "transcoding.hpp"

namespace runnel::conformance {
namespace {

Usage usage_of(std::string_view from, const std::string& upstream) {
    cli::TranscodeOptions options;
    options.from = from;
    options.include_usage = true;
    const Answer answer = streamed_answer(options, upstream);
    EXPECT_FALSE(answer.failed) << answer.failure;
    EXPECT_TRUE(answer.usage) << upstream;
    return answer.usage.value_or(Usage{});
}

void expect_usage(const Usage& usage, std::int64_t prompt, std::int64_t completion,
                  std::int64_t total) {
    EXPECT_EQ(usage.prompt, prompt);
    EXPECT_EQ(usage.completion, completion);
    EXPECT_EQ(usage.total, total);
}

std::string openai_with(const std::string& usage) {
    return openai_sse(
        {R"({"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]})",
         R"({"choices":[],"usage":)" + usage + "}"});
}

std::string anthropic_with(const std::string& start,
                           std::initializer_list<std::string_view> deltas) {
    std::string stream = sse({R"({"type":"message_start","message":{"usage":)" + start + "}}"});
    for (const std::string_view delta : deltas)
        stream += sse({R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":)" +
                       std::string(delta) + "}"});
    return stream + sse({R"({"type":"message_stop"})"});
}

std::string gemini_with(const std::string& usage) {
    return sse(
        {R"({"candidates":[{"content":{"parts":[{"text":"x"}]}}],"usageMetadata":{"promptTokenCount":1,"totalTokenCount":1}})",
         R"({"candidates":[{"finishReason":"STOP"}],"usageMetadata":)" + usage + "}"});
}

TEST(UsageOfAnthropic, CountsTheCacheAsPrompt) {
    const Usage usage = usage_of(
        "anthropic",
        anthropic_with(R"({"input_tokens":84,"cache_read_input_tokens":1792,"output_tokens":1})",
                       {R"({"output_tokens":16})"}));
    expect_usage(usage, 1876, 16, 1892);
    EXPECT_EQ(usage.cached, 1792);
    EXPECT_FALSE(usage.cache_write);
}

TEST(UsageOfAnthropic, CountsWhatWasWrittenToTheCacheToo) {
    const Usage usage = usage_of(
        "anthropic",
        anthropic_with(
            R"({"input_tokens":10,"cache_read_input_tokens":90,"cache_creation_input_tokens":7,"output_tokens":1})",
            {R"({"output_tokens":5})"}));
    expect_usage(usage, 107, 5, 112);
    EXPECT_EQ(usage.cached, 90);
    EXPECT_EQ(usage.cache_write, 7);
}

TEST(UsageOfAnthropic, TakesTheLatestCountAndNeverAdds) {
    const std::string start = R"({"input_tokens":10,"output_tokens":3})";
    expect_usage(usage_of("anthropic", anthropic_with(start, {R"({"output_tokens":5})",
                                                              R"({"output_tokens":12})"})),
                 10, 12, 22);
    expect_usage(
        usage_of("anthropic", anthropic_with(start, {R"({"input_tokens":40,"output_tokens":5})"})),
        40, 5, 45);
    expect_usage(usage_of("anthropic",
                          anthropic_with(start, {R"({"input_tokens":null,"output_tokens":5})"})),
                 10, 5, 15);
}

TEST(UsageOfAnthropic, ReportsThinkingOnlyWhereItIsCounted) {
    const Usage usage = usage_of(
        "anthropic",
        anthropic_with(R"({"input_tokens":10,"output_tokens":1})",
                       {R"({"output_tokens":50,"output_tokens_details":{"thinking_tokens":40}})"}));
    expect_usage(usage, 10, 50, 60);
    EXPECT_EQ(usage.reasoning, 40);
}

TEST(UsageOfAnthropic, CountsACompactionAndNotAnAdvisor) {
    const Usage usage = usage_of(
        "anthropic",
        anthropic_with(
            R"({"input_tokens":100,"output_tokens":1})",
            {R"({"input_tokens":20,"output_tokens":8,"iterations":[)"
             R"({"type":"compaction","input_tokens":100,"cache_read_input_tokens":50,"output_tokens":30},)"
             R"({"type":"advisor_message","input_tokens":999,"output_tokens":999},)"
             R"({"type":"message","input_tokens":20,"output_tokens":8}]})"}));
    expect_usage(usage, 170, 38, 208);
    EXPECT_EQ(usage.cached, 50);
}

TEST(UsageOfGemini, AddsTheThoughts) {
    const Usage usage = usage_of(
        "gemini",
        gemini_with(
            R"({"promptTokenCount":9,"candidatesTokenCount":5,"thoughtsTokenCount":4,"totalTokenCount":18})"));
    expect_usage(usage, 9, 9, 18);
    EXPECT_EQ(usage.reasoning, 4);
    EXPECT_FALSE(usage.cached);
}

TEST(UsageOfGemini, DoesNotAddThoughtsThatAreInside) {
    expect_usage(usage_of("gemini", gemini_with(R"({"promptTokenCount":9,"candidatesTokenCount":9,)"
                                                R"("thoughtsTokenCount":4,"totalTokenCount":18})")),
                 9, 9, 18);
}

TEST(UsageOfGemini, HasTheCacheInsideThePrompt) {
    const Usage usage =
        usage_of("gemini", gemini_with(R"({"promptTokenCount":1200,"cachedContentTokenCount":1100,)"
                                       R"("candidatesTokenCount":2,"totalTokenCount":1202})"));
    expect_usage(usage, 1200, 2, 1202);
    EXPECT_EQ(usage.cached, 1100);
}

TEST(UsageOfGemini, CountsThoughtsThatLeftNoRoomForAnAnswer) {
    const Usage usage = usage_of(
        "gemini",
        sse({R"({"candidates":[{"finishReason":"MAX_TOKENS","index":0}],)"
             R"("usageMetadata":{"promptTokenCount":9,"thoughtsTokenCount":47,"totalTokenCount":56}})"}));
    expect_usage(usage, 9, 47, 56);
    EXPECT_EQ(usage.reasoning, 47);
}

TEST(UsageOfOllama, IsOnTheLastLine) {
    const Usage usage = usage_of(
        "ollama", json_lines({R"({"message":{"content":"x"},"done":false})",
                              R"({"message":{"content":""},"done":true,"done_reason":"stop",)"
                              R"("prompt_eval_count":26,"eval_count":298})"}));
    expect_usage(usage, 26, 298, 324);
    EXPECT_FALSE(usage.cached);
    EXPECT_FALSE(usage.reasoning);
}

TEST(UsageOfOpenAi, ShowsOnlyTheDetailsThatWereReported) {
    const Usage plain = usage_of(
        "openai", openai_with(R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":9})"));
    EXPECT_FALSE(plain.cached || plain.cache_write || plain.reasoning);
    const Usage detailed = usage_of(
        "openai",
        openai_with(R"({"prompt_tokens":70,"completion_tokens":20,"total_tokens":90,)"
                    R"("prompt_tokens_details":{"cached_tokens":30,"cache_write_tokens":10},)"
                    R"("completion_tokens_details":{"reasoning_tokens":15}})"));
    expect_usage(detailed, 70, 20, 90);
    EXPECT_EQ(detailed.cached, 30);
    EXPECT_EQ(detailed.cache_write, 10);
    EXPECT_EQ(detailed.reasoning, 15);
}

TEST(UsageOfXai, CountsReasoningOnTop) {
    const Usage usage = usage_of(
        "xai", openai_with(R"({"prompt_tokens":307,"completion_tokens":26,"total_tokens":560,)"
                           R"("completion_tokens_details":{"reasoning_tokens":227}})"));
    expect_usage(usage, 307, 253, 560);
    EXPECT_EQ(usage.reasoning, 227);
}

TEST(UsageOfOpenAi, NeverSubtractsReasoning) {
    expect_usage(
        usage_of("openrouter",
                 openai_with(R"({"prompt_tokens":33,"completion_tokens":416,"total_tokens":449,)"
                             R"("completion_tokens_details":{"reasoning_tokens":501}})")),
        33, 416, 449);
}

// More cached than sent: then what was cached is not in the prompt, and no count may go below zero.
TEST(UsageOfOpenAi, AddsWhatWasCachedToASmallerPrompt) {
    const std::string upstream =
        openai_with(R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":9,)"
                    R"("prompt_tokens_details":{"cached_tokens":161}})");
    for (const std::string_view from : {"xai", "azure", "openai-compatible", "mistral"}) {
        const Usage usage = usage_of(from, upstream);
        expect_usage(usage, 168, 2, 170);
        EXPECT_EQ(usage.cached, 161) << from;
    }
}

TEST(UsageOfOpenAi, IsFoundWhereverItIsPut) {
    const std::string counts = R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":9})";
    const std::string text = R"({"choices":[{"index":0,"delta":{"content":"x"}}]})";
    const std::string in_x_groq =
        R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":)" +
        counts + "}}";
    const std::string in_choice =
        R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":)" + counts + "}]}";
    const std::string beside =
        R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":)" + counts + "}";
    expect_usage(usage_of("groq", openai_sse({text, in_x_groq})), 7, 2, 9);
    expect_usage(
        usage_of("groq", openai_sse({text, in_x_groq, R"({"choices":[],"usage":)" + counts + "}"})),
        7, 2, 9);
    expect_usage(usage_of("moonshot", openai_sse({text, in_choice})), 7, 2, 9);
    expect_usage(usage_of("deepseek", openai_sse({text, beside})), 7, 2, 9);
}

TEST(UsageOfOpenAi, ReadsEveryNameOfTheCache) {
    const auto cached = [](std::string_view from, const std::string& field) {
        return usage_of(
                   from,
                   openai_with(R"({"prompt_tokens":70,"completion_tokens":2,"total_tokens":72,)" +
                               field + "}"))
            .cached;
    };
    EXPECT_EQ(cached("deepseek", R"("prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":6)"),
              64);
    EXPECT_EQ(cached("moonshot", R"("cached_tokens":64)"), 64);
    EXPECT_EQ(cached("mistral", R"("num_cached_tokens":64)"), 64);
}

TEST(UsageOfOpenAi, OnEveryChunkIsCumulative) {
    expect_usage(
        usage_of(
            "perplexity",
            openai_sse(
                {R"({"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":4,"completion_tokens":1,"total_tokens":5}})",
                 R"({"choices":[{"index":0,"delta":{"content":"b"}}],"usage":{"prompt_tokens":4,"completion_tokens":2,"total_tokens":6}})",
                 R"({"object":"chat.completion.done","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":4,"completion_tokens":3,"total_tokens":7}})"})),
        4, 3, 7);
}

TEST(UsageOfOpenAi, IsNotUndoneByALaterZero) {
    const std::string finish =
        R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":)";
    expect_usage(
        usage_of("openai-compatible",
                 openai_sse(
                     {finish + R"({"prompt_tokens":45,"completion_tokens":2,"total_tokens":47}})",
                      finish + R"({"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}})"})),
        45, 2, 47);
}

TEST(UsageOfOpenAi, HasATotalThatAddsUp) {
    expect_usage(
        usage_of("mistral",
                 openai_with(R"({"prompt_tokens":9,"completion_tokens":248,"total_tokens":632})")),
        9, 248, 257);
}

}  // namespace
}  // namespace runnel::conformance
