#include "transcoding.hpp"

// What single providers do that no standard says: the vectors of the providers' document that
// concern a response alone.
namespace runnel::conformance {
namespace {

constexpr std::string_view hello = R"({"choices":[{"index":0,"delta":{"content":"Hello"}}]})";
constexpr std::string_view stop = R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";

void expect_hello(std::string_view from, const std::string& upstream) {
    const Choice choice = only_choice(streamed_answer(from, upstream));
    EXPECT_EQ(choice.text, "Hello") << from << "\n" << upstream;
    EXPECT_EQ(choice.finish, "stop") << from << "\n" << upstream;
}

void expect_failure(std::string_view from, const std::string& upstream,
                    const std::string& text_before = "") {
    const Answer answer = streamed_answer(from, upstream);
    EXPECT_TRUE(answer.failed) << from << "\n" << upstream;
    const auto shown = answer.choices.find(0);
    EXPECT_EQ(shown == answer.choices.end() ? "" : shown->second.text, text_before) << from << "\n"
                                                                                    << upstream;
}

TEST(AnthropicQuirks, AnErrorMayBeTheFirstEvent) {
    const std::string upstream = "event: error\ndata: "
                                 "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
                                 "\"message\":\"Overloaded\"}}\n\n";
    EXPECT_EQ(transcoded("anthropic", upstream),
              "data: {\"error\":{\"message\":\"Anthropic returned 529 "
              "overloaded\",\"type\":\"server_error\","
              "\"code\":\"tool_provider_error\",\"param\":null}}\n\ndata: [DONE]\n\n");
}

TEST(AnthropicQuirks, AStreamCutBeforeItsStopReasonIsAnError) {
    expect_failure(
        "anthropic",
        sse({R"({"type":"message_start","message":{"usage":{"input_tokens":1}}})",
             R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
             R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}})"}),
        "Hel");
}

TEST(AnthropicQuirks, PingsPaddingAndStrangersAreIgnored) {
    expect_hello(
        "anthropic",
        sse({R"({"type":"message_start","message":{"usage":{"input_tokens":1}}      })",
             R"({"type": "ping"})",
             R"({"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}})",
             R"({"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"secret"}})",
             R"({"type":"content_block_stop","index":0})",
             R"({"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"zz"}})",
             R"({"type":"content_block_stop","index":1})",
             R"({"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","content":[]}})",
             R"({"type":"content_block_stop","index":2})", R"({"type":"something_new","index":9})",
             R"({"type":"content_block_start","index":3,"content_block":{"type":"text","text":"Hel"}})",
             R"({"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"lo"}})",
             R"({"type":"content_block_delta","index":3,"delta":{"type":"something_delta","text":"no"}})",
             R"({"type":"content_block_stop","index":3    })",
             R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})",
             R"({"type":"message_stop"})"}));
}

TEST(AnthropicQuirks, WhatFollowsTheEndIsNotPartOfTheAnswer) {
    const std::string answer = sse(
        {R"({"type":"message_start","message":{"id":"a","usage":{"input_tokens":1}}})",
         R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello"}})",
         R"({"type":"content_block_stop","index":0})",
         R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})",
         R"({"type":"message_stop"})"});
    expect_hello("anthropic", answer + answer);
    expect_hello("anthropic", answer + "event: data\ndata: [DONE]\n\n");
}

TEST(GeminiQuirks, CrlfFramesMayBeCutAnywhere) {
    const std::string upstream =
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hel\"}]}}]}\r\n\r\n"
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"lo\"}]},"
        "\"finishReason\":\"STOP\"}]}\r\n\r\n";
    expect_hello("gemini", upstream);
    const std::string whole = transcoded("gemini", upstream);
    for (std::size_t cut = 1; cut < upstream.size(); ++cut) {
        cli::TranscodeOptions options;
        options.from = "gemini";
        options.cuts = {cut, upstream.size() - cut};
        ASSERT_EQ(transcoded(options, upstream), whole) << cut;
    }
}

TEST(GeminiQuirks, EventsWithoutCandidatesOrPartsSayNothing) {
    expect_hello(
        "gemini",
        sse({R"({"usageMetadata":{"promptTokenCount":1}})", R"({"candidates":[]})",
             R"({"candidates":[{"content":{"role":"model"}}]})",
             R"({"candidates":[{"content":{"parts":[{}]}}]})",
             R"({"candidates":[{"content":{"parts":[{"text":"Hello"}]}}]})",
             R"({"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"zz"}]}}]})",
             R"({"candidates":[{"content":{"parts":[{"executableCode":{"code":"1"}}]}}]})",
             R"({"candidates":[{"content":{"parts":[{"codeExecutionResult":{"output":"1"}}]}}]})",
             R"({"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]})"}));
}

TEST(GeminiQuirks, AnErrorMayStandBareInTheStream) {
    expect_failure("gemini",
                   "data: "
                   "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hel\"}]},"
                   "\"finishReason\":\"STOP\"}]}\r\n\r\n"
                   "{\r\n  \"error\": {\r\n    \"code\": 499,\r\n    \"message\": "
                   "\"cancelled\"\r\n  }\r\n}\r\n",
                   "Hel");
    expect_failure(
        "gemini",
        sse({R"({"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}})"}));
    expect_failure("gemini",
                   R"([{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}])");
}

TEST(GeminiQuirks, ABadKeyIsNotTheClients) {
    cli::TranscodeOptions options;
    options.from = "gemini";
    options.status = 400;
    const std::string client = transcoded(
        options,
        R"({"error":{"code":400,"message":"API key not valid. Please pass a valid API key.",)"
        R"("status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}})");
    EXPECT_EQ(client.find("invalid_request_error"), std::string::npos) << client;
    EXPECT_EQ(client.find("API key not valid"), std::string::npos) << client;
}

TEST(OpenRouterQuirks, CommentsRolesAndFinishesRepeat) {
    expect_hello(
        "openrouter",
        ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" +
            openai_sse(
                {R"({"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]})",
                 R"({"choices":[{"index":0,"delta":{"role":"assistant","content":"lo"},"finish_reason":null}]})",
                 R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]})",
                 R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}})",
                 R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]})"}));
}

TEST(OpenRouterQuirks, AnErrorBesideChoicesIsAnError) {
    expect_failure(
        "openrouter",
        openai_sse({hello,
                    R"({"error":{"code":"server_error","message":"no"},)"
                    R"("choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]})"}),
        "Hello");
    expect_failure(
        "openrouter",
        openai_sse({hello, stop, R"({"error":{"code":400,"message":"no"},"choices":[]})"}),
        "Hello");
}

TEST(OpenAiLikeQuirks, AnErrorThatIsNullIsNone) {
    expect_hello(
        "openai-compatible",
        openai_sse(
            {R"({"error":null,"choices":[{"index":0,"delta":{"content":"Hello"}}]})", stop}));
}

TEST(DeepSeekQuirks, BlankLinesMayPrecedeABody) {
    cli::TranscodeOptions options;
    options.from = "deepseek";
    EXPECT_EQ(only_choice(folded_answer(options,
                                        "\n\n\r\n\n"
                                        R"({"choices":[{"index":0,"message":{"role":"assistant",)"
                                        R"("content":"Hello"},"finish_reason":"stop"}]})"))
                  .text,
              "Hello");
}

TEST(AzureQuirks, TheFirstChunkIsAboutThePrompt) {
    expect_hello(
        "azure",
        openai_sse({R"({"choices":[],"created":0,"id":"","model":"","object":"",)"
                    R"("prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]})",
                    hello,
                    R"({"object":"","choices":[{"index":0,"finish_reason":null,)"
                    R"("content_filter_results":{},"content_filter_offsets":{}}]})",
                    stop}));
}

TEST(GroqQuirks, AFailedStreamEndsWithANamedEvent) {
    expect_failure(
        "groq",
        sse({hello}) +
            "event: error\ndata: {\"error\":{\"message\":\"no\",\"status_code\":400}}\n\n",
        "Hello");
}

TEST(LlamaBoxQuirks, AnErrorMayBeAFieldOfItsOwn) {
    expect_failure("openai-compatible",
                   sse({hello}) + "error: {\"code\":500,\"message\":\"no\"}\n\n", "Hello");
}

TEST(XaiQuirks, AnErrorMayComeAsABodyUnderStatus200) {
    expect_failure("xai", R"({"code":"The service is currently unavailable","error":"try later"})");
}

TEST(MiniMaxQuirks, AnErrorMayHideInTheBaseResponse) {
    expect_failure("minimax", R"({"base_resp":{"status_code":1002,"status_msg":"rate limit"}})");
    expect_hello("minimax",
                 openai_sse({hello, R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],)"
                                    R"("base_resp":{"status_code":0,"status_msg":""}})"}));
}

TEST(PerplexityQuirks, TheMessageSoFarIsNotPartOfTheDelta) {
    expect_hello(
        "perplexity",
        sse({R"({"object":"chat.completion.chunk","choices":[{"index":0,"message":{"role":"assistant","content":"Hel"},"delta":{"role":"assistant","content":"Hel"}}]})",
             R"({"object":"chat.completion.done","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hello"},"delta":{"role":"assistant","content":"lo"}}]})"}));
}

TEST(PerplexityQuirks, ABodyHasAnEmptyDeltaBesideItsMessage) {
    cli::TranscodeOptions options;
    options.from = "perplexity";
    EXPECT_EQ(only_choice(
                  folded_answer(
                      options,
                      R"({"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},)"
                      R"("delta":{"role":"assistant","content":""},"finish_reason":"stop"}]})"))
                  .text,
              "Hello");
}

TEST(OllamaQuirks, ALineMayBeCutAnywhere) {
    const std::string upstream =
        json_lines({R"({"message":{"content":"Hel"},"done":false})",
                    R"({"message":{"content":"lo"},"done":true,"done_reason":"stop"})"});
    expect_hello("ollama", upstream);
    const std::string whole = transcoded("ollama", upstream);
    for (std::size_t cut = 1; cut < upstream.size(); ++cut) {
        cli::TranscodeOptions options;
        options.from = "ollama";
        options.cuts = {cut, upstream.size() - cut};
        ASSERT_EQ(transcoded(options, upstream), whole) << cut;
    }
}

TEST(OllamaQuirks, AnErrorIsALineOfItsOwn) {
    expect_failure("ollama",
                   json_lines({R"({"message":{"content":"Hel"},"done":false})",
                               R"({"error":"out of memory"})"}),
                   "Hel");
}

TEST(AnyProvider, APageInsteadOfAStreamIsAnError) {
    for (const std::string_view from : {"openai", "anthropic", "gemini", "ollama"})
        for (const std::string page : {"<html><body>502 Bad Gateway</body></html>",
                                       "upstream connect error", "null", "[]", "{}"})
            expect_failure(from, page);
}

}  // namespace
}  // namespace runnel::conformance
