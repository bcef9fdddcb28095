#include "provider/openai/delta.hpp"

#include "support/openai_answers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using testing::delta;
using testing::done;
using testing::frames;
using testing::stop;
using testing::text_of;

// Reasoning.

TEST(OpenAiDelta, ReadsReasoningUnderEachOfItsNames) {
    EXPECT_EQ(text_of(delta(R"("content":null,"reasoning_content":"a")") +
                      delta(R"("content":"","reasoning":"b")") +
                      delta(R"("content":null,"reasoning_text":"c","reasoning_opaque":"zz")") +
                      stop),
              "started\nreasoning 0 \"a\"\nreasoning 0 \"b\"\nreasoning 0 \"c\"\n"
              "finish 0 stop\nended\n");
}

TEST(OpenAiDelta, TellsReasoningOnceHoweverOftenItIsSent) {
    EXPECT_EQ(
        text_of(
            delta(
                R"("reasoning_details":[{"type":"reasoning.text","text":"a"}],"reasoning_content":"a","reasoning":"a")") +
            stop),
        "started\nreasoning 0 \"a\"\nfinish 0 stop\nended\n");
}

TEST(OpenAiDelta, ReadsReasoningDetailsWhereTheyAreAllThereIs) {
    EXPECT_EQ(
        text_of(
            delta(
                R"("reasoning":null,"reasoning_details":[{"type":"reasoning.summary","summary":"s"},{"type":"reasoning.encrypted","data":"zz"}])") +
            stop),
        "started\nreasoning 0 \"s\"\nfinish 0 stop\nended\n");
}

TEST(OpenAiDelta, ReadsMistralsContentParts) {
    EXPECT_EQ(
        text_of(
            delta(R"("content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]}])") +
                delta(
                    R"("content":[{"type":"thinking","thinking":[{"type":"text","text":"m"}],"closed":true},{"type":"text","text":"4"}])") +
                delta(R"("content":"2")") + stop,
            "mistral"),
        "started\n"
        "reasoning 0 \"h\"\n"
        "reasoning 0 \"m\"\n"
        "text 0 \"4\"\n"
        "text 0 \"2\"\n"
        "finish 0 stop\n"
        "ended\n");
}

TEST(OpenAiDelta, KeepsDeepSeeksReasoningForItsToolCalls) {
    EXPECT_EQ(
        text_of(
            delta(R"("reasoning_content":"I \"look\" \ud83d")") +
                delta(R"("reasoning_content":"\ude00")") +
                delta(
                    R"("tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}])") +
                frames({R"({"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})"}),
            "deepseek"),
        "started\n"
        "reasoning 0 \"I \\\"look\\\" \"\n"
        "reasoning 0 \"😀\"\n"
        "tool 0 #0 id=a name=f\n"
        "args 0 #0 \"{}\"\n"
        "state a \"I \\\"look\\\" 😀\"\n"
        "tool_end 0 #0\n"
        "finish 0 tool_calls\n"
        "ended\n");
}

TEST(OpenAiDelta, KeepsOpenRoutersSignedReasoningForItsToolCalls) {
    const std::string text = text_of(
        delta(
            R"("reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0}])") +
            delta(
                R"("reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0}])") +
            delta(
                R"("reasoning_details":[{"type":"reasoning.text","signature":"sig","index":0}])") +
            delta(
                R"("tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}])") +
            stop,
        "openrouter");
    EXPECT_NE(
        text.find(R"(state a [{"type":"reasoning.text","index":0,"signature":"sig","text":"ab"}])"),
        std::string::npos)
        << text;
}

// Tool calls.

TEST(OpenAiDelta, ReadsStreamedToolCalls) {
    EXPECT_EQ(
        text_of(
            delta(R"("content":"Look")") +
            delta(
                R"("tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":""}}])") +
            delta(R"("tool_calls":[{"index":0,"function":{"arguments":"{\"q\":"}}])") +
            delta(
                R"("tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":"1}"}},{"index":1,"id":"call_2","function":{"name":"now"}}])") +
            stop + done),
        "started\n"
        "text 0 \"Look\"\n"
        "tool 0 #0 id=call_1 name=find\n"
        "args 0 #0 \"{\\\"q\\\":\"\n"
        "args 0 #0 \"1}\"\n"
        "tool 0 #1 id=call_2 name=now\n"
        "tool_end 0 #0\n"
        "args 0 #1 \"{}\"\n"
        "tool_end 0 #1\n"
        "finish 0 tool_calls\n"
        "ended\n");
}

TEST(OpenAiDelta, NumbersCallsThatHaveNoIndex) {
    const std::string text = text_of(
        delta(
            R"("tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}}])") +
        delta(R"("tool_calls":[{"id":"c","index":null,"function":{"name":"g","arguments":"{"}}])") +
        delta(R"("tool_calls":[{"function":{"arguments":"}"}}])") + stop);
    EXPECT_EQ(text, "started\n"
                    "tool 0 #0 id=a name=f\n"
                    "args 0 #0 \"{}\"\n"
                    "tool 0 #1 id=b name=f\n"
                    "args 0 #1 \"{}\"\n"
                    "tool 0 #2 id=c name=g\n"
                    "args 0 #2 \"{\"\n"
                    "args 0 #2 \"}\"\n"
                    "tool_end 0 #0\n"
                    "tool_end 0 #1\n"
                    "tool_end 0 #2\n"
                    "finish 0 tool_calls\n"
                    "ended\n");
}

TEST(OpenAiDelta, NumbersCallsThatHaveNeitherIndexNorId) {
    const std::string text =
        text_of(delta(R"("tool_calls":[{"id":"","function":{"name":"f","arguments":"{}"}}])") +
                delta(R"("tool_calls":[{"function":{"name":"f","arguments":"{}"}}])") + stop);
    EXPECT_NE(text.find("tool 0 #0 id=call_"), std::string::npos) << text;
    EXPECT_NE(text.find("tool 0 #1 id=call_"), std::string::npos) << text;
}

TEST(OpenAiDelta, TellsSeveralCallsWithoutAnIndexApartByTheirPlaceOrId) {
    const std::string begun = delta(
        R"("tool_calls":[{"id":"a","function":{"name":"f"}},{"id":"b","function":{"name":"g"}}])");
    for (const std::string_view arguments : {
             R"({"function":{"arguments":"1"}},{"function":{"arguments":"2"}})",
             R"({"index":1,"function":{"arguments":"2"}},{"index":0,"function":{"arguments":"1"}})",
             R"({"id":"b","function":{"arguments":"2"}},{"id":"a","function":{"arguments":"1"}})",
         }) {
        const std::string text =
            text_of(begun + delta(fmt::format(R"("tool_calls":[{}])", arguments)) + stop);
        EXPECT_NE(text.find("args 0 #0 \"1\"\n"), std::string::npos) << text;
        EXPECT_NE(text.find("args 0 #1 \"2\"\n"), std::string::npos) << text;
    }
}

TEST(OpenAiDelta, TakesALegacyFunctionCallAsATool) {
    const std::string text = text_of(
        delta(R"("function_call":{"name":"f","arguments":""})") +
        delta(R"("function_call":{"arguments":"{}"})") +
        frames({R"({"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]})"}));
    EXPECT_TRUE(text.starts_with("started\ntool 0 #0 id=call_")) << text;
    EXPECT_TRUE(
        text.ends_with("name=f\nargs 0 #0 \"{}\"\ntool_end 0 #0\nfinish 0 tool_calls\nended\n"))
        << text;
}

TEST(OpenAiDelta, TakesArgumentsThatAreAnObject) {
    EXPECT_NE(
        text_of(
            delta(
                R"("tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{ "q": "x" }}}])") +
            stop)
            .find(R"(args 0 #0 "{\"q\":\"x\"}")"),
        std::string::npos);
}

TEST(OpenAiDelta, TakesACustomToolsInputAsOneArgument) {
    const std::string text = text_of(
        delta(
            R"("tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"sql","input":""}}])") +
        delta(R"("tool_calls":[{"index":0,"custom":{"input":"say \"hi\"\n"}}])") + stop);
    EXPECT_EQ(text, "started\n"
                    "tool 0 #0 id=a name=sql\n"
                    "args 0 #0 \"{\\\"input\\\":\\\"\"\n"
                    "args 0 #0 \"say \\\\\\\"hi\\\\\\\"\\\\n\"\n"
                    "args 0 #0 \"\\\"}\"\n"
                    "tool_end 0 #0\n"
                    "finish 0 tool_calls\n"
                    "ended\n");
}

TEST(OpenAiDelta, KeepsWhatStandsBesideACallForServersThatMayWantItBack) {
    const std::string wire =
        delta(
            R"("tool_calls":[{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"f","arguments":"{}"}}])") +
        stop;
    const std::string state = R"(state a {"google":{"thought_signature":"s"}})";
    EXPECT_TRUE(text_of(wire, "openai-compatible").contains(state));
    EXPECT_FALSE(text_of(wire, "openai").contains(state));
}

TEST(OpenAiDelta, MakesAnIdWhereTheProvidersIsTheWordNull) {
    const std::string text = text_of(
        delta(
            R"("tool_calls":[{"id":"null","function":{"name":"f","arguments":"{}"}},{"id":"null","function":{"name":"g","arguments":"{}"}}])") +
        stop);
    EXPECT_EQ(text.find("id=null"), std::string::npos) << text;
    EXPECT_NE(text.find("name=f"), std::string::npos) << text;
    EXPECT_NE(text.find("name=g"), std::string::npos) << text;
}

// Other things a delta says.

TEST(OpenAiDelta, TellsRefusalsAndAnnotationsAndLogprobs) {
    EXPECT_EQ(
        text_of(
            delta(R"("refusal":"no")") +
            delta(
                R"("annotations":[{"type":"url_citation","url_citation":{"url":"u","title":"t","start_index":1,"end_index":2,"content":"c"}}])") +
            frames(
                {R"({"choices":[{"index":0,"delta":{"content":"x"},"logprobs":{"content":[{"token":"x","logprob":-1}]}}]})",
                 R"({"choices":[{"index":0,"delta":{"content":"y"},"logprobs":{"content":null,"refusal":null}}]})"}) +
            stop),
        "started\n"
        "refusal 0 \"no\"\n"
        "citation 0 address url=\"u\" title=\"t\" cited_text=\"c\" text_start=1 text_end=2\n"
        "logprobs 0 text \"x\":-1\n"
        "text 0 \"x\"\n"
        "text 0 \"y\"\n"
        "finish 0 stop\n"
        "ended\n");
}

TEST(OpenAiDelta, TellsWhatASearchIsFor) {
    EXPECT_EQ(
        text_of(
            frames(
                {R"({"object":"chat.reasoning","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_steps":[{"thought":"Looking","type":"web_search","web_search":{"search_keywords":["x"]}},{"type":"fetch_url_content"}]}}]})"}) +
            delta(R"("content":"x")") + stop),
        "started\nreasoning 0 \"Looking\\n\"\ntext 0 \"x\"\nfinish 0 stop\nended\n");
}

TEST(OpenAiDelta, TellsImagesAndAudio) {
    EXPECT_EQ(
        text_of(
            delta(
                R"("content":"","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}])") +
            delta(R"("audio":{"id":"a"})") + delta(R"("audio":{"data":"AAAA"})") +
            delta(R"("audio":{"transcript":"b","expires_at":7})") +
            delta(R"("audio":null,"images":[])") +
            delta(R"("audio":{"id":"","expires_at":0},"images":[{"url":7}])") +
            delta(R"("content":[{"type":"image_url","image_url":{"url":"https://a/b.png"}}])") +
            stop),
        "started\n"
        "image 0 media_type=\"image/png\" data=\"eA==\"\n"
        "audio 0 id=\"a\"\n"
        "audio 0 data=\"AAAA\"\n"
        "audio 0 transcript=\"b\" expires_at=7\n"
        "image 0 url=\"https://a/b.png\"\n"
        "finish 0 stop\n"
        "ended\n");
}

TEST(OpenAiDelta, TellsWhichPagesAnnotationsCite) {
    const auto told = [](std::string_view annotation) {
        const std::string text = text_of(delta(fmt::format(R"("annotations":[{}])", annotation)) +
                                         delta(R"("content":"x")") + stop);
        const std::string_view before = "citation 0 address ";
        const std::size_t begin = text.find(before);
        if (begin == std::string::npos) return std::string();
        const std::size_t from = begin + before.size();
        return text.substr(from, text.find('\n', from) - from);
    };
    EXPECT_EQ(told(R"({"type":"url_citation","url_citation":{"url":"u"}})"), R"(url="u")");
    EXPECT_EQ(told(R"({"type":"url_citation","url_citation":{"url":"u","title":null}})"),
              R"(url="u")");
    EXPECT_EQ(
        told(R"({"type":"url_citation","url":"u","title":"t","start_index":3,"end_index":5})"),
        R"(url="u" title="t" text_start=3 text_end=5)");
    EXPECT_EQ(told(R"({"type":"url_citation"})"), "");
    EXPECT_EQ(told(R"({"type":"file","file":{"hash":"h","name":"a.pdf","content":[]}})"), "");
    EXPECT_EQ(told(R"({"type":"document_citation","document_citation":{"document_id":"d"}})"), "");
    EXPECT_EQ(told("7"), "");
}

TEST(OpenAiDelta, SplitsThinkTagsForThoseWhoSendThem) {
    const std::string wire = delta(R"("content":"<think>hm</think>4")") + stop;
    EXPECT_NE(text_of(wire, "minimax").find("reasoning 0 \"hm\"\ntext 0 \"4\""), std::string::npos);
    EXPECT_EQ(text_of(wire, "openai").find("reasoning"), std::string::npos);
}

}  // namespace
}  // namespace runnel::provider
