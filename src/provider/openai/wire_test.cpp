#include "provider/openai/wire.hpp"

#include "support/openai_answers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using testing::delta;
using testing::done;
using testing::frames;
using testing::read;
using testing::Read;
using testing::stop;
using testing::text_of;

TEST(OpenAiWire, ReadsAPlainStream) {
    EXPECT_EQ(
        text_of(frames({
            R"({"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"aa"})",
            R"({"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}],"error":null})",
            R"({"choices":[{"index":0,"delta":{},"finish_reason":null}]})",
            R"({"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]})",
            R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}})",
            "[DONE]",
        })),
        "started\n"
        "text 0 \"Hel\"\n"
        "text 0 \"lo\"\n"
        "usage fresh=7 out=2\n"
        "finish 0 stop\n"
        "ended\n");
}

TEST(OpenAiWire, ReadsTheSameForEverySplit) {
    const std::string wire =
        delta(R"("role":"assistant","content":"é \"q\" \ud83d")") +
        delta(
            R"("content":"\ude00","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}])") +
        delta(R"("tool_calls":[{"index":0,"function":{"arguments":"1}"}}])") + stop + done;
    const std::string whole = text_of(wire);
    for (std::size_t piece = 1; piece < wire.size(); ++piece)
        EXPECT_EQ(read(wire, "openai", piece).text, whole) << "pieces of " << piece;
}

TEST(OpenAiWire, PassesTextOnAsItIsEscaped) {
    EXPECT_EQ(text_of(delta(R"("content":"a\n\"b\"\\ \u00e9 \/")") + stop),
              "started\ntext 0 \"a\\n\\\"b\\\"\\\\ é /\"\nfinish 0 stop\nended\n");
}

TEST(OpenAiWire, KeepsTheOrderWithinADelta) {
    const std::string text = text_of(delta(R"("reasoning_content":"r","content":"c")") + stop);
    EXPECT_LT(text.find("reasoning 0"), text.find("text 0"));
}

TEST(OpenAiWire, ReadsAnIndexThatFollowsItsDelta) {
    const std::string text = text_of(frames({
        R"({"choices":[{"delta":{"content":"b"},"index":1},{"delta":{"content":"a"},"index":0}]})",
        R"({"choices":[{"delta":{},"finish_reason":"stop","index":0},{"delta":{},"finish_reason":"length","index":1}]})",
    }));
    EXPECT_EQ(text, "started\ntext 1 \"b\"\ntext 0 \"a\"\nfinish 0 stop\nfinish 1 length\nended\n");
}

TEST(OpenAiWire, IgnoresAChoiceNobodyAskedFor) {
    const Read got =
        read(frames({R"({"choices":[{"index":4000000000,"delta":{"content":"x"}}]})"}) + stop);
    EXPECT_EQ(got.text, "started\nfinish 0 stop\nended\n");
    EXPECT_EQ(got.malformed, 1);
}

TEST(OpenAiWire, TellsADeltaOfNothingNothing) {
    EXPECT_EQ(
        text_of(
            frames({
                R"({"choices":[{"index":0,"delta":null,"finish_reason":null}]})",
                R"({"choices":[{"index":0,"delta":{"role":null,"content":null,"tool_calls":null,"function_call":null}}]})",
                R"({"choices":[{"index":0,"delta":{"tool_calls":[],"reasoning":"","annotations":[]}}]})",
                R"({"choices":[{"content_filter_offsets":{"check_offset":1},"index":0}],"object":""})",
                R"({"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[]})",
            }) +
            stop),
        "started\nfinish 0 stop\nended\n");
}

// Ends.

TEST(OpenAiWire, EndsWellWithoutDoneOnceThereIsAFinish) {
    EXPECT_EQ(text_of(delta(R"("content":"x")") + stop),
              "started\ntext 0 \"x\"\nfinish 0 stop\nended\n");
}

TEST(OpenAiWire, EndsWellWithDoneWhereThereIsNoFinish) {
    EXPECT_EQ(text_of(delta(R"("content":"x")") + done),
              "started\ntext 0 \"x\"\nfinish 0 stop\nended\n");
}

TEST(OpenAiWire, FailsOnAStreamThatWasCut) {
    EXPECT_EQ(text_of(delta(R"("content":"x")")),
              "started\ntext 0 \"x\"\nfailed upstream_truncated\nended\n");
}

TEST(OpenAiWire, TakesPerplexitysLastChunkAsTheEndAndItsMessageAsARepetition) {
    const Read got = read(frames({
        R"({"object":"chat.completion.chunk","choices":[{"index":0,"message":{"role":"assistant","content":"1"},"delta":{"role":"assistant","content":"1"}}]})",
        R"({"object":"chat.completion.chunk","choices":[{"index":0,"message":{"content":"1 2"},"delta":{"content":" 2"}}]})",
        R"({"object":"chat.completion.done","choices":[{"index":0,"message":{"content":"1 2"},"delta":{"content":""},"finish_reason":"stop"}]})",
        R"({"choices":[{"index":0,"delta":{"content":"after the end"}}]})",
    }));
    EXPECT_EQ(got.text, "started\ntext 0 \"1\"\ntext 0 \" 2\"\nfinish 0 stop\nended\n");
}

class FinishReason
    : public ::testing::TestWithParam<std::pair<std::string_view, std::string_view>> {};

TEST_P(FinishReason, IsOneOfOurs) {
    const auto& [native, expected] = GetParam();
    const std::string chunk = fmt::format(
        R"({{"choices":[{{"index":0,"delta":{{"content":"x"}},"finish_reason":"{}"}}]}})", native);
    EXPECT_EQ(text_of(frames({chunk})),
              fmt::format("started\ntext 0 \"x\"\n{}\nended\n", expected));
}

INSTANTIATE_TEST_SUITE_P(
    OpenAiWire, FinishReason,
    ::testing::Values(
        std::pair{"stop", "finish 0 stop"}, std::pair{"eos", "finish 0 stop"},
        std::pair{"COMPLETE", "finish 0 stop"}, std::pair{"never_seen", "finish 0 stop"},
        std::pair{"length", "finish 0 length"}, std::pair{"model_length", "finish 0 length"},
        std::pair{"content_filter", "finish 0 content_filter"},
        std::pair{"model_context_window_exceeded", "finish 0 length"},
        std::pair{"sensitive", "finish 0 content_filter"},
        std::pair{"refusal", "finish 0 content_filter"},
        std::pair{"content_filter: PROHIBITED_CONTENT", "finish 0 content_filter"},
        std::pair{"function_call_filter: MALFORMED_FUNCTION_CALL", "failed upstream_malformed"},
        std::pair{"", "failed upstream_truncated"}, std::pair{"error", "failed upstream_failed"},
        std::pair{"abort", "failed upstream_failed"},
        std::pair{"insufficient_system_resource", "failed upstream_overloaded"}));

TEST(OpenAiWire, TellsARepeatedFinishOnce) {
    EXPECT_EQ(text_of(delta(R"("content":"x")") + stop + stop + done),
              "started\ntext 0 \"x\"\nfinish 0 stop\nended\n");
}

// Errors.

TEST(OpenAiWire, AnErrorInAChunkWinsOverItsChoices) {
    const Read got = read(
        delta(R"("content":"x")") +
            frames(
                {R"({"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"usage":{"prompt_tokens":3,"completion_tokens":1}})",
                 "[DONE]"}),
        "openrouter");
    EXPECT_EQ(got.text,
              "started\ntext 0 \"x\"\nusage fresh=3 out=1\nfailed upstream_failed\nended\n");
    EXPECT_EQ(got.errors.front().message, "OpenRouter returned 502 server error");
}

TEST(OpenAiWire, ReadsAnErrorHoweverItComes) {
    for (const std::string& bytes : {
             frames({R"({"error":{"type":"rate_limit_error","message":"m"}})"}),
             std::string(
                 "event: error\ndata: {\"type\":\"rate_limit_error\",\"message\":\"m\"}\n\n"),
             std::string("error: {\"code\":429,\"message\":\"m\"}\n\n"),
             std::string(": hi\n\n{\n \"error\": {\n  \"code\": 429\n }\n}\n"),
             frames({R"({"object":"error","message":"m","code":"429"})"}),
             frames({R"({"x_groq":{"error":"over capacity"},"code":429})"}),
             frames({R"({"choices":null,"base_resp":{"status_code":1002,"status_msg":"m"}})"}),
             std::string(R"({"base_resp":{"status_code":1002,"status_msg":"m"}})"),
             std::string(R"({"error":{"code":429,"message":"m"}})"),
             std::string("[{\"error\":{\"code\":429,\"message\":\"m\"}}]"),
             std::string(
                 R"({"choices":[{"index":0,"error":{"code":429},"message":{}}],"status":429})"),
         }) {
        const Read got = read(bytes);
        EXPECT_NE(got.text.find("failed upstream_rate_limited\nended\n"), std::string::npos)
            << bytes << got.text;
    }
}

TEST(OpenAiWire, ReadsXaisErrorInA200) {
    const Read got =
        read(R"({"code":"The service is currently unavailable","error":"try later"})", "xai");
    EXPECT_EQ(got.text, "failed upstream_overloaded\nended\n");
    EXPECT_EQ(got.errors.front().message, "xAI returned 503 overloaded");
}

TEST(OpenAiWire, CannotReadAPageOrAnEmptyAnswer) {
    for (const std::string_view body :
         {"<html>Bad Gateway</html>", "{}", "{\"choices\":", "upstream error"}) {
        const Read got = read(std::string(body));
        EXPECT_EQ(got.text, "failed upstream_malformed\nended\n") << body;
    }
}

TEST(OpenAiWire, GoesOnAfterAFrameItCannotRead) {
    const Read got =
        read(frames({"{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x", "nonsense"}) +
             delta(R"("content":"y")") + stop);
    EXPECT_EQ(got.text, "started\ntext 0 \"y\"\nfinish 0 stop\nended\n");
    EXPECT_EQ(got.malformed, 2);
}

// xAI and Perplexity put what they cite beside the choices, and again with every chunk.

std::string cited(std::string_view url, std::string_view title) {
    const std::string name = title.empty() ? "" : fmt::format(" title=\"{}\"", title);
    return fmt::format("citation 0 address url=\"{}\"{}\n", url, name);
}

TEST(OpenAiWire, CitesEachPageBesideTheChoicesOnce) {
    const std::string lists =
        R"("citations":["https://a","https://b"],"search_results":[{"title":"B","url":"https://b","date":null},{"url":"https://c"}])";
    const std::string chunk =
        R"("choices":[{"index":0,"delta":{"content":"x [1]"},"finish_reason":null}])";
    EXPECT_EQ(text_of(frames({fmt::format("{{{},{}}}", lists, chunk),
                              fmt::format("{{{},{}}}", chunk, lists)}) +
                      stop),
              "started\ntext 0 \"x [1]\"\ntext 0 \"x [1]\"\n" + cited("https://a", "") +
                  cited("https://b", "B") + cited("https://c", "") + "finish 0 stop\nended\n");
}

TEST(OpenAiWire, AnswersWithSourcesOnlyAreNotSeenBeforeTheirEnd) {
    EXPECT_EQ(text_of(frames({R"({"citations":["https://a"],"choices":[{"index":0,"delta":{}}]})",
                              R"({"error":{"message":"no"},"citations":["https://a"]})"})),
              "started\nfailed upstream_failed\nended\n");
}

TEST(OpenAiWire, TellsAnAnnotationThatIsRepeatedOnce) {
    const std::string annotation =
        R"({"type":"url_citation","url_citation":{"start_index":0,"end_index":0,"url":"https://a","title":"A"}})";
    const std::string chunk = fmt::format(R"("content":"x","annotations":[{}])", annotation);
    EXPECT_EQ(text_of(delta(chunk) + delta(chunk) +
                      frames({R"({"choices":[],"citations":["https://a"]})"}) + stop),
              "started\ntext 0 \"x\"\n"
              "citation 0 address url=\"https://a\" title=\"A\" text_start=0 text_end=0\n"
              "text 0 \"x\"\nfinish 0 stop\nended\n");
}

TEST(OpenAiWire, CitesWhatComesAfterTheFinish) {
    EXPECT_EQ(text_of(delta(R"("content":"x")") +
                      frames({R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
                              R"({"choices":[],"citations":["https://a",null,""]})", "[DONE]"})),
              "started\ntext 0 \"x\"\n" + cited("https://a", "") + "finish 0 stop\nended\n");
}

TEST(OpenAiWire, CitesWhatGroqsSearchesFound) {
    const std::string_view tools =
        R"("executed_tools":[{"index":0,"type":"search","arguments":"{}"},{"index":1,"search_results":{"results":[{"title":"A \"1\"","url":"https://a"},{"title":"no address"},{"url":"https://b","title":null}]}}])";
    const std::string pages = cited("https://a", R"(A \"1\")") + cited("https://b", "");
    EXPECT_EQ(text_of(delta(tools) + delta(R"("content":"x")") + stop, "groq"),
              "started\ntext 0 \"x\"\n" + pages + "finish 0 stop\nended\n");
    EXPECT_EQ(
        text_of(
            fmt::format(
                R"({{"choices":[{{"index":0,"message":{{"content":"x",{}}},"finish_reason":"stop"}}]}})",
                tools),
            "groq"),
        "started\ntext 0 \"x\"\n" + pages + "finish 0 stop\nended\n");
}

TEST(OpenAiWire, CitesThePagesOfAWholeAnswer) {
    EXPECT_EQ(
        text_of(
            R"({"citations":["https://a"],"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}]})"),
        "started\ntext 0 \"x\"\n" + cited("https://a", "") + "finish 0 stop\nended\n");
}

TEST(OpenAiWire, TellsTheStopSequenceWhereItsServerDoes) {
    const auto finished = [](std::string_view member) {
        return text_of(frames({fmt::format(
            R"({{"choices":[{{"index":0,"delta":{{"content":"x"}},"finish_reason":"stop",{}}}]}})",
            member)}));
    };
    for (const std::string_view name : {"stop_reason", "matched_stop"}) {
        EXPECT_EQ(finished(fmt::format(R"("{}":"END")", name)),
                  "started\ntext 0 \"x\"\nfinish 0 stop at \"END\"\nended\n");
        EXPECT_EQ(finished(fmt::format(R"("{}":151645)", name)),
                  "started\ntext 0 \"x\"\nfinish 0 stop\nended\n");
    }
}

// Whole answers.

TEST(OpenAiWire, ReadsAWholeAnswer) {
    EXPECT_EQ(text_of(R"(
{
  "object": "chat.completion",
  "choices": [
    {
      "index": 0,
      "message": {
        "role": "assistant", "content": "Hi", "refusal": null,
        "annotations": [
          {
            "type": "url_citation",
            "url_citation": {"url": "u", "title": "t", "start_index": 0, "end_index": 2}
          }
        ],
        "tool_calls": [
          {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
          {"id": "b", "type": "function", "function": {"name": "g", "arguments": ""}}
        ]
      },
      "finish_reason": "tool_calls"
    }
  ],
  "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
})"),
              "started\n"
              "text 0 \"Hi\"\n"
              "citation 0 address url=\"u\" title=\"t\" text_start=0 text_end=2\n"
              "tool 0 #0 id=a name=f\n"
              "args 0 #0 \"{}\"\n"
              "tool 0 #1 id=b name=g\n"
              "usage fresh=5 out=3\n"
              "tool_end 0 #0\n"
              "args 0 #1 \"{}\"\n"
              "tool_end 0 #1\n"
              "finish 0 tool_calls\n"
              "ended\n");
}

TEST(OpenAiWire, TellsTheThinkingOfAWholeAnswerFirst) {
    const std::string text =
        text_of(R"({"choices":[{"index":0,"message":{"content":"c","reasoning_content":"r"},)"
                R"("finish_reason":"stop"}]})");
    EXPECT_LT(text.find("reasoning 0"), text.find("text 0"));
}

TEST(OpenAiWire, ReadsPerplexitysWholeAnswerBesideAnEmptyDelta) {
    EXPECT_EQ(
        text_of(
            R"({"choices":[{"index":0,"message":{"content":"x"},"delta":{"content":""},"finish_reason":"stop"}]})"),
        "started\ntext 0 \"x\"\nfinish 0 stop\nended\n");
}

TEST(OpenAiWire, ReadsALegacyCompletion) {
    EXPECT_EQ(text_of(R"({"choices":[{"text":"x","index":0,"finish_reason":"length"}]})"),
              "started\ntext 0 \"x\"\nfinish 0 length\nended\n");
    EXPECT_EQ(
        text_of(frames({R"({"choices":[{"index":0,"text":"x","delta":{"content":"x"}}]})"}) + stop),
        "started\ntext 0 \"x\"\nfinish 0 stop\nended\n");
}

TEST(OpenAiWire, ReadsAnAnswerAfterBlankLines) {
    EXPECT_EQ(
        text_of(
            "\n\n \n{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}"),
        "started\ntext 0 \"x\"\nfinish 0 stop\nended\n");
}

}  // namespace
}  // namespace runnel::provider
