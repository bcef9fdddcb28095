#include "transcoding.hpp"

namespace runnel::conformance {
namespace {

// An OpenAI-like stream of these deltas by this model.
std::string deltas_of(std::string_view model, std::initializer_list<std::string_view> deltas) {
    std::string stream;
    for (const std::string_view delta : deltas)
        stream += sse({R"({"model":")" + std::string(model) +
                       R"(","choices":[{"index":0,"delta":)" + std::string(delta) + "}]}"});
    return stream + openai_sse({R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"});
}

std::string texts_of(std::string_view model, std::initializer_list<std::string_view> texts) {
    std::string stream;
    for (const std::string_view text : texts)
        stream += sse({R"({"model":")" + std::string(model) +
                       R"(","choices":[{"index":0,"delta":{"content":")" + std::string(text) +
                       R"("}}]})"});
    return stream + openai_sse({R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"});
}

void expect_thought_and_text(std::string_view from, const std::string& upstream,
                             std::string_view thought, std::string_view text) {
    const Choice choice = only_choice(streamed_answer(from, upstream));
    EXPECT_EQ(choice.reasoning, thought) << from << "\n" << upstream;
    EXPECT_EQ(choice.text, text) << from << "\n" << upstream;
}

TEST(Reasoning, HasOneNameWhateverTheProviderCallsIt) {
    expect_thought_and_text("deepseek",
                            deltas_of("m", {R"({"reasoning_content":"hm"})", R"({"content":"4"})"}),
                            "hm", "4");
    expect_thought_and_text("groq", deltas_of("m", {R"({"reasoning":"hm"})", R"({"content":"4"})"}),
                            "hm", "4");
    expect_thought_and_text(
        "gemini",
        sse({R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"4"}]},"finishReason":"STOP"}]})"}),
        "hm", "4");
    expect_thought_and_text(
        "ollama",
        json_lines({R"({"message":{"thinking":"hm"},"done":false})",
                    R"({"message":{"content":"4"},"done":true,"done_reason":"stop"})"}),
        "hm", "4");
}

TEST(Reasoning, SentUnderSeveralNamesIsShownOnce) {
    expect_thought_and_text(
        "openrouter",
        deltas_of(
            "m",
            {R"({"content":"","reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]})",
             R"({"content":"","reasoning_details":[{"type":"reasoning.text","signature":"s","index":0}]})",
             R"({"content":"4"})"}),
        "hm", "4");
    expect_thought_and_text(
        "minimax",
        deltas_of("m", {R"({"reasoning_content":"hm","reasoning":"hm"})", R"({"content":"4"})"}),
        "hm", "4");
}

TEST(Reasoning, MayBeInTheDetailsOnly) {
    expect_thought_and_text(
        "openai-compatible",
        deltas_of(
            "m",
            {R"({"content":"","reasoning_details":[{"type":"reasoning.text","text":"h"}]})",
             R"({"content":"","reasoning_details":[{"type":"reasoning.summary","summary":"m"}]})",
             R"({"content":"4"})"}),
        "hm", "4");
}

TEST(Reasoning, InPartsOfTheContentKeepsItsPlace) {
    const std::string upstream = deltas_of(
        "m",
        {R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]}]})",
         R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"m"}],"closed":true},{"type":"text","text":"4"}]})",
         R"({"content":"2"})"});
    expect_thought_and_text("mistral", upstream, "hm", "42");
    const std::string client = transcoded("mistral", upstream);
    EXPECT_LT(client.find(R"("reasoning_content":"m")"), client.find(R"("content":"4")")) << client;
}

TEST(ThinkTags, OpeningTheTextOfAFlaggedModelAreReasoning) {
    expect_thought_and_text("groq", texts_of("qwen/Qwen3-32b", {"<think>hm</think>\\n\\n4"}), "hm",
                            "4");
    expect_thought_and_text("openai-compatible", texts_of("DeepSeek-R1", {"<think>hm</think>4"}),
                            "hm", "4");
    expect_thought_and_text("minimax", texts_of("abab", {"<think>hm</think>4"}), "hm", "4");
    expect_thought_and_text(
        "ollama",
        json_lines({R"({"model":"qwen3:4b","message":{"content":"<think>h"},"done":false})",
                    R"({"model":"qwen3:4b","message":{"content":"m</think>4"},"done":true})"}),
        "hm", "4");
}

TEST(ThinkTags, AreRecognisedInPieces) {
    expect_thought_and_text(
        "groq", texts_of("qwen3", {"<th", "ink>h", "m</thi", "nk>", "\\n", "\\n4"}), "hm", "4");
    expect_thought_and_text(
        "groq", texts_of("qwen3", {"<", "t", "h", "i", "nk", ">", "hm<", "/", "think", ">4"}), "hm",
        "4");
}

TEST(ThinkTags, LeftOpenMakeAllOfItReasoning) {
    expect_thought_and_text("groq", texts_of("qwen3", {"<think>h", "m </thin"}), "hm </thin", "");
}

TEST(ThinkTags, ElsewhereAreText) {
    expect_thought_and_text("groq", texts_of("qwen3", {"a <think>b</think>"}), "",
                            "a <think>b</think>");
    expect_thought_and_text("groq", texts_of("qwen3", {"<think>a</think>b<think>c</think>"}), "a",
                            "b<think>c</think>");
    expect_thought_and_text("groq", texts_of("qwen3", {"<thin", " ice>"}), "", "<thin ice>");
    expect_thought_and_text("groq", texts_of("qwen3", {"<th"}), "", "<th");
    expect_thought_and_text("openai", texts_of("gpt-5", {"<think>a</think>b"}), "",
                            "<think>a</think>b");
}

TEST(ThinkTags, OfAWholeBodyAreReasoningToo) {
    cli::TranscodeOptions options;
    options.from = "groq";
    const Choice choice = only_choice(folded_answer(
        options,
        R"({"model":"deepseek-r1-distill","choices":[{"index":0,"message":{"role":"assistant",)"
        R"("content":"<think>hm</think>\n\n4"},"finish_reason":"stop"}]})"));
    EXPECT_EQ(choice.reasoning, "hm");
    EXPECT_EQ(choice.text, "4");
}

}  // namespace
}  // namespace runnel::conformance
