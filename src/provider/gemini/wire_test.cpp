#include "provider/gemini/wire.hpp"

#include "provider/core/answer_reader.hpp"
#include "provider/gemini/audio.hpp"
#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace runnel::provider::gemini {
namespace {

using testing::TimelineRecorder;

TimelineRecorder told(std::string_view bytes, std::size_t split = std::string_view::npos,
                      TurnOptions options = {}) {
    json::Parser parser;
    IdSource ids(1);
    TimelineRecorder recorder;
    options.display_name = "Gemini";
    options.tool_id_prefix = "call_";
    options.issuer = "gemini/g";
    AnswerReader reader(std::make_unique<GenerateContentWire>(&parser), options, &recorder, &ids);
    for (std::size_t at = 0; at < bytes.size(); at += std::min(split, bytes.size())) {
        std::string piece(bytes.substr(at, split));
        reader.feed(Padded::of(piece));
    }
    reader.finish();
    return recorder;
}

// As Google frames them: with CRLF.
std::string stream_of(std::initializer_list<std::string_view> events) {
    std::string stream;
    for (const std::string_view event : events)
        stream.append("data: ").append(event).append("\r\n\r\n");
    return stream;
}

std::string array_of(std::initializer_list<std::string_view> events) {
    std::string array = "[";
    for (const std::string_view event : events) {
        if (array.size() > 1) array += ",\r\n";
        array += event;
    }
    return array + "\n]";
}

// An event with these parts, and behind the content what `rest` says.
std::string event(std::string_view parts, std::string_view rest = "") {
    return fmt::format(R"({{"candidates":[{{"content":{{"role":"model","parts":[{}]}}{}}}]}})",
                       parts, rest);
}

constexpr std::string_view stop =
    R"({"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]})";

TEST(GeminiWire, TellsTextThoughtsAndTheLastCounts) {
    const auto hello =
        R"({"candidates":[{"content":{"parts":[{"text":"Hmm","thought":true}]},"index":0}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}})";
    const auto world =
        R"({"candidates":[{"content":{"parts":[{"text":"Hi"},{"text":" \u00e9\n"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":4,"totalTokenCount":18}})";
    const std::string expected = "started\n"
                                 "reasoning 0 \"Hmm\"\n"
                                 "usage fresh=9 out=0\n"
                                 "text 0 \"Hi\"\n"
                                 "text 0 \" é\\n\"\n"
                                 "usage fresh=5 cache_read=4 out=9 reasoning=4\n"
                                 "finish 0 stop\n"
                                 "ended\n";
    EXPECT_EQ(told(stream_of({hello, world})).text(), expected);
    EXPECT_EQ(told(array_of({hello, world})).text(), expected);
}

TEST(GeminiWire, TellsToolsFirstWithStopAsToolCalls) {
    const std::string call =
        R"({"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"find","args":{"q":"x"}}}]},"index":0}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}})";
    const std::string end =
        R"({"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5,"thoughtsTokenCount":4,"totalTokenCount":18}})";
    const auto minted = IdSource(1).next("call_");
    const std::string expected = "started\n"
                                 "tool 0 #0 id=" +
                                 minted +
                                 " name=find\n"
                                 "args 0 #0 \"{\\\"q\\\":\\\"x\\\"}\"\n"
                                 "tool_end 0 #0\n"
                                 "usage fresh=9 out=0\n"
                                 "usage fresh=9 out=9 reasoning=4\n"
                                 "finish 0 tool_calls\n"
                                 "ended\n";
    EXPECT_EQ(told(stream_of({call, end})).text(), expected);
    EXPECT_EQ(told(array_of({call, end})).text(), expected);
}

TEST(GeminiWire, TellsTheSameForEverySplit) {
    const std::string call = event(
        R"({"text":"\ud83d\ude00 ok"},{"functionCall":{"id":"a1","name":"find","args":{"q":"\u20ac"}},"thoughtSignature":"c2ln"})");
    for (const std::string& bytes : {stream_of({call, stop}), array_of({call, stop})}) {
        const std::string whole = told(bytes).text();
        for (std::size_t split = 1; split < bytes.size(); ++split)
            ASSERT_EQ(told(bytes, split).text(), whole) << "split " << split;
    }
}

TEST(GeminiWire, KeepsASignatureForItsCallAndGeminisIdBehindThePrefix) {
    const std::string calls = event(
        R"({"functionCall":{"name":"add","args":{"b": 3, "a": 2.0},"id":"8hd01vsf"},"thoughtSignature":"EsIN\/w=="},)"
        R"({"functionCall":{"name":"sub","args":{},"id":"k0srpqrc"}})");
    EXPECT_EQ(told(stream_of({calls, stop})).text(),
              "started\n"
              "reasoning_signed 0 \"EsIN/w==\" by gemini/g\n"
              "tool 0 #0 id=call_8hd01vsf name=add\n"
              "args 0 #0 \"{\\\"b\\\":3,\\\"a\\\":2.0}\"\n"
              "state call_8hd01vsf {\"thoughtSignature\":\"EsIN/w==\"}\n"
              "tool_end 0 #0\n"
              "tool 0 #1 id=call_k0srpqrc name=sub\n"
              "args 0 #1 \"{}\"\n"
              "tool_end 0 #1\n"
              "finish 0 tool_calls\n"
              "ended\n");
}

TEST(GeminiWire, CallsWithoutArgumentsHaveAnEmptyObject) {
    for (const std::string_view call :
         {R"({"name":"now"})", R"({"name":"now","args":{}})", R"({"name":"now","args":null})"}) {
        const std::string bytes =
            stream_of({event(fmt::format(R"({{"functionCall":{}}})", call)), stop});
        EXPECT_NE(told(bytes).text().find("args 0 #0 \"{}\"\ntool_end 0 #0\n"), std::string::npos)
            << call;
    }
}

// Vertex' streamed arguments: the pieces of one call, then what ends it.
std::string pieces(std::initializer_list<std::string_view> more) {
    std::string stream =
        stream_of({event(R"({"functionCall":{"name":"cook","id":"c","willContinue":true}})")});
    for (const std::string_view piece : more)
        stream += stream_of({event(fmt::format(R"({{"functionCall":{}}})", piece))});
    return stream;
}

TEST(GeminiWire, BuildsArgumentsFromPiecesAsTheyCome) {
    const std::string bytes =
        pieces(
            {R"({"partialArgs":[{"jsonPath":"$.dish","stringValue":"a \"b","willContinue":true}],"willContinue":true})",
             R"({"partialArgs":[{"jsonPath":"$.dish","stringValue":"c","willContinue":true}],"willContinue":true})",
             R"({"partialArgs":[{"jsonPath":"$.dish","stringValue":""}],"willContinue":true})",
             R"({"willContinue":true})",
             R"({"partialArgs":[{"jsonPath":"$.for[0].n","numberValue":2},{"jsonPath":"$.for[0].hot","boolValue":true},{"jsonPath":"$.for[1].n","nullValue":"NULL_VALUE"}],"willContinue":true})",
             "{}"}) +
        stream_of({stop});
    EXPECT_EQ(told(bytes).text(), "started\n"
                                  "tool 0 #0 id=call_c name=cook\n"
                                  R"(args 0 #0 "{\"dish\":\"a \\\"b")"
                                  "\n"
                                  R"(args 0 #0 "c")"
                                  "\n"
                                  R"(args 0 #0 "\"")"
                                  "\n"
                                  R"(args 0 #0 ",\"for\":[{\"n\":2,\"hot\":true},{\"n\":null")"
                                  "\n"
                                  R"(args 0 #0 "}]}")"
                                  "\n"
                                  "tool_end 0 #0\n"
                                  "finish 0 tool_calls\n"
                                  "ended\n");
}

TEST(GeminiWire, TakesANameThatIsRepeatedWithPiecesForTheSameCall) {
    for (const std::string_view id : {R"("id":"c",)", ""}) {
        const auto piece = [&](std::string_view rest) {
            return event(
                fmt::format(R"({{"functionCall":{{"name":"cook",{}"args":{{}},{}}}}})", id, rest));
        };
        const std::string text =
            told(
                stream_of(
                    {piece(
                         R"("partialArgs":[{"jsonPath":"$.n","numberValue":1}],"willContinue":true)"),
                     piece(R"("partialArgs":[{"jsonPath":"$.hot","boolValue":true}])"),
                     piece(R"("partialArgs":[{"jsonPath":"$.n","numberValue":2}])"), stop}))
                .text();
        EXPECT_NE(text.find(R"(args 0 #0 "{\"n\":1")"
                            "\n"
                            R"(args 0 #0 ",\"hot\":true")"
                            "\n"
                            R"(args 0 #0 "}")"
                            "\ntool_end 0 #0\ntool 0 #1 id="),
                  std::string::npos)
            << text;
    }
}

TEST(GeminiWire, TakesAnEmptyCallWithTheSameNameAndIdForTheEndOfTheFirst) {
    for (const std::string_view end :
         {R"({"name":"cook","id":"c"})", R"({"name":"cook","id":"c","args":{ }})",
          R"({"args":{}})"}) {
        const std::string text =
            told(pieces({R"({"partialArgs":[{"jsonPath":"$.n","numberValue":1}],)"
                         R"("willContinue":true})",
                         end}) +
                 stream_of({stop}))
                .text();
        EXPECT_NE(text.find(R"(args 0 #0 "{\"n\":1")"
                            "\n"
                            R"(args 0 #0 "}")"
                            "\ntool_end 0 #0\nfinish 0 tool_calls\n"),
                  std::string::npos)
            << text;
    }
    const std::string twice =
        told(stream_of({event(R"({"functionCall":{"name":"a","id":"1","args":{}}})"),
                        event(R"({"functionCall":{"name":"a","id":"1","args":{}}})"), stop}))
            .text();
    EXPECT_NE(twice.find("tool 0 #1"), std::string::npos) << "the first one had ended";
}

TEST(GeminiWire, ClosesArgumentsThatNothingCloses) {
    const auto piece =
        R"({"partialArgs":[{"jsonPath":"$.a.b","stringValue":"x","willContinue":true}],"willContinue":true})";
    const std::string open = pieces({piece});
    const std::string args = R"(args 0 #0 "{\"a\":{\"b\":\"x")"
                             "\n";
    const std::string closed = args + R"(args 0 #0 "\"}}")"
                                      "\ntool_end 0 #0\n";
    EXPECT_NE(told(open + stream_of({stop})).text().find(closed), std::string::npos);
    const std::string next = event(R"({"functionCall":{"name":"eat","id":"d"}})");
    EXPECT_NE(
        told(open + stream_of({next, stop})).text().find(closed + "tool 0 #1 id=call_d name=eat\n"),
        std::string::npos);
    // What the token limit cut off must not look whole.
    const std::string limit = event("", R"(,"finishReason":"MAX_TOKENS")");
    EXPECT_NE(
        told(open + stream_of({limit})).text().find(args + "tool_end 0 #0\nfinish 0 length\n"),
        std::string::npos);
}

TEST(GeminiWire, NumbersCallsAcrossEvents) {
    const std::string one = event(R"({"functionCall":{"name":"a","id":"1"}})");
    const std::string two =
        event(R"({"functionCall":{"name":"b","id":"2"}},{"functionCall":{"name":"c","id":"3"}})");
    const std::string text = told(stream_of({one, two, stop})).text();
    for (const std::string_view line :
         {"tool 0 #0 id=call_1 name=a", "tool 0 #1 id=call_2 name=b", "tool 0 #2 id=call_3 name=c"})
        EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(GeminiWire, SaysWhyItFinished) {
    struct Case {
        std::string_view reason;
        std::string_view parts;
        std::string_view expected;
    };
    constexpr std::string_view hi = R"({"text":"Hi"})";
    constexpr Case cases[] = {
        {R"("STOP")", hi, "finish 0 stop"},
        {"1", hi, "finish 0 stop"},
        {R"("STOP")", R"({"functionCall":{"name":"f"}})", "finish 0 tool_calls"},
        {"1", R"({"functionCall":{"name":"f"}})", "finish 0 tool_calls"},
        {R"("MAX_TOKENS")", hi, "finish 0 length"},
        {"2", "", "finish 0 length"},
        {R"("SAFETY")", hi, "finish 0 content_filter"},
        {"3", hi, "finish 0 content_filter"},
        {R"("RECITATION")", hi, "finish 0 content_filter"},
        {R"("BLOCKLIST")", "", "finish 0 content_filter"},
        {R"("PROHIBITED_CONTENT")", "", "finish 0 content_filter"},
        {R"("SPII")", "", "finish 0 content_filter"},
        {R"("LANGUAGE")", "", "finish 0 content_filter"},
        {R"("IMAGE_SAFETY")", "", "finish 0 content_filter"},
        {R"("MODEL_ARMOR")", "", "finish 0 content_filter"},
        {R"("OTHER")", hi, "finish 0 stop"},
        {R"("OTHER")", "", "finish 0 content_filter"},
        {R"("NO_IMAGE")", "", "finish 0 stop"},
        {R"("WHAT_COMES_NEXT_YEAR")", hi, "finish 0 stop"},
        {R"("MALFORMED_FUNCTION_CALL")", "", "failed upstream_malformed"},
        {"10", "", "failed upstream_malformed"},
        {R"("UNEXPECTED_TOOL_CALL")", "", "failed upstream_malformed"},
        {R"("TOO_MANY_TOOL_CALLS")", "", "failed upstream_malformed"},
        {R"("MISSING_THOUGHT_SIGNATURE")", "", "failed upstream_malformed"},
    };
    for (const Case& c : cases) {
        const std::string last =
            event(c.parts, fmt::format(R"(,"finishReason":{},"index":0)", c.reason));
        EXPECT_NE(told(stream_of({last})).text().find(c.expected), std::string::npos) << last;
        EXPECT_NE(told(last).text().find(c.expected), std::string::npos) << "whole body: " << last;
    }
}

TEST(GeminiWire, ShowsNothingOfAnAnswerThatIsNone) {
    const std::string body =
        event(R"({"functionCall":{"name":"made_up","args":{}}})",
              R"(,"finishReason":"UNEXPECTED_TOOL_CALL","finishMessage":"no such tool: made_up")");
    const TimelineRecorder recorder = told(body);
    EXPECT_EQ(recorder.text(), "started\nfailed upstream_malformed\nended\n");
    EXPECT_EQ(recorder.errors().at(0).detail, "no such tool: made_up");
}

TEST(GeminiWire, TakesTheLastOfSeveralFinishReasons) {
    const std::string one = event(R"({"text":"a"})", R"(,"finishReason":"STOP")");
    const std::string two = event(R"({"text":"b"})", R"(,"finishReason":"STOP")");
    const auto three = R"({"candidates":[{"finishReason":"RECITATION"}]})";
    EXPECT_EQ(told(stream_of({one, two})).text(),
              "started\ntext 0 \"a\"\ntext 0 \"b\"\nfinish 0 stop\nended\n");
    EXPECT_EQ(told(stream_of({one, two, three})).text(),
              "started\ntext 0 \"a\"\ntext 0 \"b\"\nfinish 0 content_filter\nended\n");
}

TEST(GeminiWire, ABlockedPromptIsAFilteredAnswer) {
    for (const std::string_view reason : {R"("SAFETY")", R"("OTHER")", "1"}) {
        const std::string blocked =
            fmt::format(R"({{"promptFeedback":{{"blockReason":{}}}}})", reason);
        EXPECT_EQ(told(stream_of({blocked})).text(), "finish 0 content_filter\nended\n");
        EXPECT_EQ(told(blocked).text(), "finish 0 content_filter\nended\n");
    }
    EXPECT_EQ(told(stream_of({event(R"({"text":"Hi"})"), R"({"promptFeedback":{}})", stop})).text(),
              "started\ntext 0 \"Hi\"\nfinish 0 stop\nended\n");
}

TEST(GeminiWire, AnAnswerOfThoughtsAloneIsEmptyAndTooLong) {
    const auto body =
        R"({"candidates":[{"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":9,"thoughtsTokenCount":64,"totalTokenCount":73}})";
    EXPECT_EQ(told(body).text(),
              "started\nusage fresh=9 out=64 reasoning=64\nfinish 0 length\nended\n");
}

TEST(GeminiWire, CountsEachTokenOnce) {
    struct Case {
        std::string_view counts;
        std::string_view expected;
    };
    constexpr Case cases[] = {
        // Thoughts stand beside the candidates' tokens, unless the total says that they are among
        // them.
        {R"("promptTokenCount":10,"candidatesTokenCount":20,"thoughtsTokenCount":5,"totalTokenCount":35)",
         "usage fresh=10 out=25 reasoning=5\n"},
        {R"("promptTokenCount":10,"candidatesTokenCount":20,"thoughtsTokenCount":5,"totalTokenCount":30)",
         "usage fresh=10 out=20 reasoning=5\n"},
        {R"("promptTokenCount":10,"toolUsePromptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":19)",
         "usage fresh=17 out=2\n"},
        {R"("promptTokenCount":10,"cachedContentTokenCount":12,"candidatesTokenCount":1)",
         "usage fresh=0 cache_read=12 out=1\n"},
        {R"("promptTokenCount":-4,"candidatesTokenCount":"3")", "usage fresh=0 out=3\n"},
    };
    for (const Case& c : cases) {
        const std::string body = fmt::format(
            R"({{"candidates":[{{"finishReason":"STOP"}}],"usageMetadata":{{{}}}}})", c.counts);
        EXPECT_EQ(told(body).text(), fmt::format("started\n{}finish 0 stop\nended\n", c.expected));
    }
    const auto searched =
        R"({"candidates":[{"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["x"]}}],"usageMetadata":{"promptTokenCount":10,"toolUsePromptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":19}})";
    EXPECT_EQ(told(searched).text(), "started\nusage fresh=10 out=2\nfinish 0 stop\nended\n");
    EXPECT_EQ(
        told(
            R"({"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"trafficType":"ON_DEMAND"}})")
            .text(),
        "started\nfinish 0 stop\nended\n");
}

TEST(GeminiWire, CitesEachSourceOnce) {
    const std::string one = event(
        R"({"text":"a"})",
        R"(,"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://a","title":"A \"a\""}},{"retrievedContext":{"text":"no address"}}]})");
    const std::string two = event(
        R"({"text":"b"})",
        R"(,"finishReason":"STOP","groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://a","title":"A"}},{"maps":{"uri":"https://b"}}]},"citationMetadata":{"citationSources":[{"uri":"https://c"},{"startIndex":1}],"citations":[{"uri":"https://b","title":"B"}]})");
    const auto citation = [](std::string_view url, std::string_view title) {
        const std::string name = title.empty() ? "" : fmt::format(" title=\"{}\"", title);
        return fmt::format("citation 0 address url=\"{}\"{}\n", url, name);
    };
    EXPECT_EQ(told(stream_of({one, two})).text(),
              "started\ntext 0 \"a\"\n" + citation("https://a", "A \\\"a\\\"") + "text 0 \"b\"\n" +
                  citation("https://b", "") + citation("https://c", "") + "finish 0 stop\nended\n");
}

TEST(GeminiWire, TellsImages) {
    const std::string parts = event(
        R"({"inlineData":{"mimeType":"image/png","data":"eA=="}},{"inlineData":{"data":"eQ==","mimeType":"image/png"},"thought":true},{"inlineData":{"mimeType":"video/mp4","data":"eg=="}})",
        R"(,"finishReason":"STOP")");
    EXPECT_EQ(told(stream_of({parts})).text(), "started\n"
                                               "image 0 media_type=\"image/png\" data=\"eA==\"\n"
                                               "finish 0 stop\nended\n");
}

TEST(GeminiWire, TellsAudioAsItComesAndAsAFileWhereThatIsWanted) {
    const std::string part =
        R"({"inlineData":{"mimeType":"audio/L16;codec=pcm;rate=24000","data":"AQID"}})";
    const std::string last = event(part, R"(,"finishReason":"STOP")");
    const std::string piece =
        "audio 0 media_type=\"audio/L16;codec=pcm;rate=24000\" data=\"AQID\"\n";
    const auto all = [](const std::string& pieces) {
        return "started\n" + pieces + "finish 0 stop\nended\n";
    };
    const std::string stream = stream_of({event(part), last});
    EXPECT_EQ(told(stream).text(), all(piece + piece));
    const TurnOptions wav{.samples = TurnOptions::Samples::wav};
    const auto header = [](std::optional<std::uint32_t> bytes) {
        return "audio 0 media_type=\"audio/wav\" data=\"" + wav_header(24'000, bytes) + "\"\n";
    };
    EXPECT_EQ(told(stream, std::string_view::npos, wav).text(), all(header({}) + piece + piece));
    EXPECT_EQ(told(last, std::string_view::npos, wav).text(), all(header(3) + piece));
}

TEST(GeminiWire, TellsLogprobsBeforeTheirText) {
    const std::string one = event(
        R"({"text":"Hi"})",
        R"(,"finishReason":"STOP","logprobsResult":{"topCandidates":[{"candidates":[{"token":"Hi","tokenId":1,"logProbability":-0.5},{"token":"Yo","logProbability":-1.5}]}],"chosenCandidates":[{"token":"Hi","tokenId":1,"logProbability":-0.5}]})");
    const std::string expected = "started\n"
                                 "logprobs 0 text \"Hi\":-0.5(\"Hi\":-0.5 \"Yo\":-1.5)\n"
                                 "text 0 \"Hi\"\n"
                                 "finish 0 stop\nended\n";
    EXPECT_EQ(told(stream_of({one})).text(), expected);
    EXPECT_EQ(told(one).text(), expected);
}

TEST(GeminiWire, LeavesOutWhatIsNotTheClients) {
    const std::string parts = event(
        R"({"executableCode":{"language":"PYTHON","code":"1"},"thoughtSignature":"s"},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},)"
        R"({"toolCall":{"toolType":"GOOGLE_SEARCH_WEB","id":"x"}},{"toolResponse":{"id":"x"}},{},{"text":"one"},{"text":"","thoughtSignature":"t"})");
    EXPECT_EQ(
        told(stream_of({parts, R"({"candidates":[]})", R"({"candidates":null})", stop})).text(),
        "started\ntext 0 \"one\"\nreasoning_signed 0 \"t\" by gemini/g\nfinish 0 stop\nended\n");
}

TEST(GeminiWire, TellsASignatureBetweenTheThoughtsAndWhatCameOfThem) {
    const std::string parts =
        event(R"({"text":"hm","thought":true},{"text":"Hi","thoughtSignature":"a\/b"},)"
              R"({"text":"so","thought":true,"thoughtSignature":"c"},{"text":"!"})");
    EXPECT_EQ(told(stream_of({parts, stop})).text(), "started\n"
                                                     "reasoning 0 \"hm\"\n"
                                                     "reasoning_signed 0 \"a/b\" by gemini/g\n"
                                                     "text 0 \"Hi\"\n"
                                                     "reasoning 0 \"so\"\n"
                                                     "reasoning_signed 0 \"c\" by gemini/g\n"
                                                     "text 0 \"!\"\n"
                                                     "finish 0 stop\nended\n");
}

TEST(GeminiWire, AnErrorInsideTheStreamFailsIt) {
    const std::string hi = stream_of({event(R"({"text":"Hi"})", R"(,"finishReason":"STOP")")});
    const std::string framed =
        stream_of({R"({"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}})"});
    const std::string bare = "{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"busy\",\n  "
                             "  \"status\": \"UNAVAILABLE\"\n  }\n}\n";
    for (const std::string& error : {framed, bare}) {
        const TimelineRecorder recorder = told(hi + error);
        EXPECT_EQ(recorder.text(), "started\ntext 0 \"Hi\"\nfailed upstream_overloaded\nended\n");
    }
    EXPECT_EQ(told(bare).text(), "failed upstream_overloaded\nended\n");
    EXPECT_EQ(told("[" + bare + "]").text(), "failed upstream_overloaded\nended\n");
}

TEST(GeminiWire, ABadKeyIsOurFaultNotTheClients) {
    const auto body =
        R"({"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}})";
    EXPECT_EQ(told(body).text(), "failed upstream_auth\nended\n");
}

TEST(GeminiWire, AStreamWithoutAFinishReasonWasCutOff) {
    EXPECT_EQ(told(stream_of({event(R"({"text":"Hi"})")})).text(),
              "started\ntext 0 \"Hi\"\nfailed upstream_truncated\nended\n");
    EXPECT_EQ(told("[" + event(R"({"text":"Hi"})") + ",\r\n{\"candi").text(),
              "started\ntext 0 \"Hi\"\nfailed upstream_truncated\nended\n");
    // A whole body needs none: image models leave it out.
    EXPECT_EQ(told(event(R"({"text":"Hi"})")).text(),
              "started\ntext 0 \"Hi\"\nfinish 0 stop\nended\n");
}

TEST(GeminiWire, WhatIsNoAnswerFails) {
    for (const std::string_view body :
         {"{", R"({"name":"cachedContents/x"})", R"({"candidates":[]})", R"({"candidates":7})"})
        EXPECT_EQ(told(body).text(), "failed upstream_malformed\nended\n") << body;
}

TEST(GeminiWire, GoesOnAfterAnEventThatNobodyCanRead) {
    EXPECT_EQ(told(stream_of({"{\"candidates\":[{\"content\"", "[DONE]", event(R"({"text":"Hi"})"),
                              stop}))
                  .text(),
              "started\ntext 0 \"Hi\"\nfinish 0 stop\nended\n");
}

TEST(GeminiWire, TellsSeveralCandidatesApart) {
    const auto body =
        R"({"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"},{"content":{"parts":[{"text":"b"}]},"finishReason":"MAX_TOKENS","index":1}]})";
    EXPECT_EQ(told(body).text(),
              "started\ntext 0 \"a\"\ntext 1 \"b\"\nfinish 0 stop\nfinish 1 length\nended\n");
}

}  // namespace
}  // namespace runnel::provider::gemini
