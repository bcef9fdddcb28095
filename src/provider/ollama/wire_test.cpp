#include "provider/ollama/wire.hpp"

#include "provider/core/answer_reader.hpp"
#include "provider/registry.hpp"
#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace runnel::provider::ollama {
namespace {

using testing::TimelineRecorder;

TimelineRecorder told(std::string_view bytes, std::size_t split = std::string_view::npos) {
    json::Parser parser;
    IdSource ids(1);
    TimelineRecorder recorder;
    const auto ollama = make_ollama({.name = "local", .kind = "ollama", .base_url = ""});
    AnswerReader reader(ollama->make_wire(&parser), ollama->turn_options("m"), &recorder, &ids);
    for (std::size_t at = 0; at < bytes.size(); at += std::min(split, bytes.size())) {
        std::string piece(bytes.substr(at, split));
        reader.feed(Padded::of(piece));
    }
    reader.finish();
    return recorder;
}

std::string lines_of(std::initializer_list<std::string_view> lines) {
    std::string stream;
    for (const std::string_view line : lines) stream.append(line).append("\n");
    return stream;
}

constexpr std::string_view hel =
    R"({"model":"m","message":{"role":"assistant","content":"Hel"},"done":false})";
constexpr std::string_view done =
    R"({"model":"m","message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"prompt_eval_count":11,"eval_count":12})";
constexpr std::string_view weather =
    R"({"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"weather","arguments":{"city": "Köln", "n": 1.0}}}]},"done":false})";

TEST(OllamaWire, TellsThoughtsTextAndCounts) {
    EXPECT_EQ(
        told(lines_of(
                 {R"({"message":{"role":"assistant","content":"","thinking":"hm\n"},"done":false})",
                  hel, R"({"message":{"role":"assistant","content":"lo \u00e9"},"done":false})",
                  done}))
            .text(),
        "started\n"
        "reasoning 0 \"hm\\n\"\n"
        "text 0 \"Hel\"\n"
        "text 0 \"lo é\"\n"
        "usage fresh=11 out=12\n"
        "finish 0 stop\n"
        "ended\n");
}

TEST(OllamaWire, TellsArgumentsAsJsonTextAndMintsIds) {
    const std::string id = IdSource(1).next("call_");
    EXPECT_EQ(told(lines_of({weather, done})).text(),
              "started\n"
              "tool 0 #0 id=" +
                  id +
                  " name=weather\n"
                  "args 0 #0 \"{\\\"city\\\":\\\"Köln\\\",\\\"n\\\":1.0}\"\n"
                  "tool_end 0 #0\n"
                  "usage fresh=11 out=12\n"
                  "finish 0 tool_calls\n"
                  "ended\n");
}

TEST(OllamaWire, NumbersCallsItself) {
    const auto call = [](std::string_view id, std::string_view arguments) {
        return fmt::format(
            R"({{"message":{{"content":"","tool_calls":[{{"id":"{}","function":{{"index":7,"name":"add","arguments":{}}}}}]}},"done":false}})",
            id, arguments);
    };
    EXPECT_EQ(told(lines_of({call("call_a", R"({"x":1})"), call("call_b", "{}"),
                             call("call_c", "null"), call("call_d", R"("{\"x\":2}")"), done}))
                  .text(),
              "started\n"
              "tool 0 #0 id=call_a name=add\n"
              "args 0 #0 \"{\\\"x\\\":1}\"\n"
              "tool_end 0 #0\n"
              "tool 0 #1 id=call_b name=add\n"
              "args 0 #1 \"{}\"\n"
              "tool_end 0 #1\n"
              "tool 0 #2 id=call_c name=add\n"
              "args 0 #2 \"{}\"\n"
              "tool_end 0 #2\n"
              "tool 0 #3 id=call_d name=add\n"
              "args 0 #3 \"{\\\"x\\\":2}\"\n"
              "tool_end 0 #3\n"
              "usage fresh=11 out=12\n"
              "finish 0 tool_calls\n"
              "ended\n");
}

TEST(OllamaWire, TellsTheSameForEverySplit) {
    const std::string bytes = lines_of({hel, "", weather, done});
    const std::string whole = told(bytes).text();
    for (std::size_t split = 1; split < bytes.size(); ++split)
        ASSERT_EQ(told(bytes, split).text(), whole) << "split " << split;
    EXPECT_EQ(told(bytes.substr(0, bytes.size() - 1)).text(), whole)
        << "without the last line's end";
}

TEST(OllamaWire, AWholeAnswerIsAStreamOfOneLine) {
    EXPECT_EQ(
        told(
            R"({"model":"m","message":{"role":"assistant","content":"4","thinking":"2+2","tool_calls":[{"id":"call_1","function":{"name":"add","arguments":{"a":2}}}]},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":5})")
            .text(),
        "started\n"
        "reasoning 0 \"2+2\"\n"
        "text 0 \"4\"\n"
        "tool 0 #0 id=call_1 name=add\n"
        "args 0 #0 \"{\\\"a\\\":2}\"\n"
        "tool_end 0 #0\n"
        "usage fresh=3 out=5\n"
        "finish 0 tool_calls\n"
        "ended\n");
}

TEST(OllamaWire, SaysWhyItFinished) {
    struct Case {
        std::string_view end;
        std::string_view expected;
    };
    constexpr Case cases[] = {
        {R"("done_reason":"stop")", "finish 0 stop"},
        {R"("done_reason":"length")", "finish 0 length"},
        {R"("done_reason":"load")", "finish 0 stop"},
        {R"("done_reason":"unload")", "finish 0 stop"},
        {R"("done_reason":"")", "finish 0 stop"},
        {R"("x":0)", "finish 0 stop"},
    };
    for (const Case& c : cases)
        EXPECT_EQ(
            told(fmt::format(R"({{"message":{{"content":""}},"done":true,{}}})", c.end)).text(),
            fmt::format("started\n{}\nended\n", c.expected));
}

TEST(OllamaWire, SeparatesThinkingThatStandsInTheText) {
    EXPECT_EQ(
        told(lines_of({R"({"message":{"content":"<thi"}})",
                       R"({"message":{"content":"nk>hm</think>\n\n4"}})", done}))
            .text(),
        "started\nreasoning 0 \"hm\"\ntext 0 \"4\"\nusage fresh=11 out=12\nfinish 0 stop\nended\n");
}

TEST(OllamaWire, UnderstandsTheGenerateApiToo) {
    EXPECT_EQ(told(lines_of({R"({"response":"Hi","done":false})",
                             R"({"response":"","done":true,"done_reason":"stop","eval_count":2})"}))
                  .text(),
              "started\ntext 0 \"Hi\"\nusage fresh=0 out=2\nfinish 0 stop\nended\n");
}

TEST(OllamaWire, CountsWhatWasStillInMemoryApart) {
    EXPECT_EQ(
        told(
            R"({"message":{"content":"Hi"},"done":true,"prompt_eval_count":23,"prompt_eval_cached_count":22,"eval_count":2})")
            .text(),
        "started\ntext 0 \"Hi\"\nusage fresh=1 cache_read=22 out=2\nfinish 0 stop\nended\n");
}

TEST(OllamaWire, AnErrorLineFailsTheAnswer) {
    EXPECT_EQ(told(lines_of({R"({"error":"model 'x' not found"})"})).errors().size(), 1U);
    EXPECT_EQ(told(lines_of({hel, R"({"error":"an error was encountered while running the model"})",
                             done}))
                  .text(),
              "started\ntext 0 \"Hel\"\nfailed upstream_failed\nended\n");
}

TEST(OllamaWire, AStreamThatIsNotDoneWasCutOff) {
    EXPECT_EQ(told(lines_of({hel})).text(),
              "started\ntext 0 \"Hel\"\nfailed upstream_truncated\nended\n");
    EXPECT_EQ(told("<html>").text(), "failed upstream_truncated\nended\n");
}

TEST(OllamaWire, GoesOnAfterALineThatNobodyCanRead) {
    EXPECT_EQ(told(lines_of({"{\"message\":", "7", hel, done})).text(),
              "started\ntext 0 \"Hel\"\nusage fresh=11 out=12\nfinish 0 stop\nended\n");
}

}  // namespace
}  // namespace runnel::provider::ollama
