#include "provider/anthropic/wire.hpp"

#include "provider/core/answer_reader.hpp"
#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::anthropic {
namespace {

using testing::TimelineRecorder;

// One event per line, as the data of a frame; the event's name is not needed.
std::string stream_of(std::initializer_list<std::string_view> events) {
    std::string stream;
    for (const std::string_view event : events)
        stream.append("data: ").append(event).append("\n\n");
    return stream;
}

TimelineRecorder told(std::string_view bytes, std::size_t split = std::string_view::npos) {
    json::Parser parser;
    IdSource ids(1);
    TimelineRecorder recorder;
    TurnOptions options;
    options.display_name = "Anthropic";
    options.tool_id_prefix = "call_";
    options.issuer = "anthropic/claude";
    AnswerReader reader(std::make_unique<MessagesWire>(&parser), options, &recorder, &ids);
    for (std::size_t at = 0; at < bytes.size(); at += std::min(split, bytes.size())) {
        std::string piece(bytes.substr(at, split));
        reader.feed(Padded::of(piece));
    }
    reader.finish();
    return recorder;
}

constexpr std::string_view start =
    R"({"type":"message_start","message":{"id":"msg_9","usage":{"input_tokens":40,"output_tokens":1}}})";
constexpr std::string_view text_block =
    R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})";
constexpr std::string_view hel =
    R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}})";
constexpr std::string_view end_turn =
    R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}})";
constexpr std::string_view tool_use =
    R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":31}})";
constexpr std::string_view stop = R"({"type":"message_stop"})";

std::string block_stop(int index) {
    return R"({"type":"content_block_stop","index":)" + std::to_string(index) + "}";
}

std::string tool_block(int index, std::string_view id, std::string_view name,
                       std::string_view input = "{}") {
    return fmt::format(
        R"({{"type":"content_block_start","index":{},"content_block":{{"type":"tool_use","id":"{}","name":"{}","input":{}}}}})",
        index, id, name, input);
}

std::string arguments(int index, std::string_view escaped) {
    return fmt::format(
        R"({{"type":"content_block_delta","index":{},"delta":{{"type":"input_json_delta","partial_json":"{}"}}}})",
        index, escaped);
}

std::string text_then_two_tools() {
    return stream_of({
        start,
        text_block,
        R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Checking."}})",
        block_stop(0),
        tool_block(1, "toolu_01A", "find"),
        arguments(1, R"({\"q\":)"),
        arguments(1, R"(\"x\"})"),
        block_stop(1),
        tool_block(2, "toolu_01B", "now"),
        block_stop(2),
        tool_use,
        stop,
    });
}

TEST(AnthropicWire, TellsTextThenTwoParallelToolsWithDenseIndexes) {
    EXPECT_EQ(told(text_then_two_tools()).text(), "started\n"
                                                  "usage fresh=40 out=1\n"
                                                  "text 0 \"Checking.\"\n"
                                                  "item_end 0\n"
                                                  "tool 0 #0 id=call_toolu_01A name=find\n"
                                                  "args 0 #0 \"{\\\"q\\\":\"\n"
                                                  "args 0 #0 \"\\\"x\\\"}\"\n"
                                                  "tool_end 0 #0\n"
                                                  "tool 0 #1 id=call_toolu_01B name=now\n"
                                                  "args 0 #1 \"{}\"\n"
                                                  "tool_end 0 #1\n"
                                                  "usage fresh=40 out=31\n"
                                                  "finish 0 tool_calls\n"
                                                  "ended\n");
}

TEST(AnthropicWire, TellsTheSameForEverySplit) {
    const std::string stream = text_then_two_tools();
    const std::string whole = told(stream).text();
    for (std::size_t split = 1; split < stream.size(); ++split)
        ASSERT_EQ(told(stream, split).text(), whole) << split << " bytes at a time";
}

TEST(AnthropicWire, GivesAToolWithOnlyAnEmptyDeltaEmptyArguments) {
    const auto recorder = told(stream_of(
        {start, tool_block(0, "toolu_1", "now"), arguments(0, ""), block_stop(0), tool_use, stop}));
    EXPECT_NE(recorder.text().find("args 0 #0 \"{}\"\ntool_end 0 #0\n"), std::string::npos)
        << recorder.text();
}

TEST(AnthropicWire, TakesInputThatIsAlreadyInTheBlocksStart) {
    const auto recorder =
        told(stream_of({start, tool_block(2, "toolu_1", "roll", R"({ "player": "one" })"),
                        block_stop(2), tool_use, stop}));
    EXPECT_NE(recorder.text().find("args 0 #0 \"{\\\"player\\\":\\\"one\\\"}\"\ntool_end 0 #0\n"),
              std::string::npos)
        << recorder.text();
}

TEST(AnthropicWire, PrefersDeltasToTheInputInTheBlocksStart) {
    const auto recorder =
        told(stream_of({start, tool_block(2, "toolu_1", "roll", R"({"a":1})"),
                        arguments(2, R"({\"a\":2})"), block_stop(2), tool_use, stop}));
    EXPECT_NE(recorder.text().find("args 0 #0 \"{\\\"a\\\":2}\"\ntool_end"), std::string::npos)
        << recorder.text();
    EXPECT_EQ(recorder.text().find("1}"), std::string::npos);
}

TEST(AnthropicWire, TakesCallsThatTheMessageAlreadyHoldsWhenItStarts) {
    const auto recorder = told(stream_of(
        {R"({"type":"message_start","message":{"id":"m","content":[{"type":"tool_use","id":"toolu_1","name":"roll","input":{"p":2}}],"stop_reason":"tool_use","usage":{"input_tokens":0,"output_tokens":0}}})",
         stop}));
    EXPECT_EQ(recorder.text(), "started\n"
                               "tool 0 #0 id=call_toolu_1 name=roll\n"
                               "args 0 #0 \"{\\\"p\\\":2}\"\n"
                               "tool_end 0 #0\n"
                               "usage fresh=0 out=0\n"
                               "finish 0 tool_calls\n"
                               "ended\n");
}

TEST(AnthropicWire, ReadsFieldsInAnyOrderAndIgnoresPaddingAndPings) {
    EXPECT_EQ(
        told(
            stream_of({
                R"({"message":{"usage":{"output_tokens":1,"input_tokens":3},"id":"m"},"type":"message_start"})",
                R"({"type": "ping"})",
                R"({"content_block":{"text":"","type":"text"},"index":0,"type":"content_block_start"   })",
                R"({"delta":{"text":"Hi","type":"text_delta"},"index":0,"type":"content_block_delta"        })",
                R"({"index":0,"type":"content_block_stop"  })",
                R"({"usage":{"output_tokens":2},"delta":{"stop_reason":"end_turn"},"type":"message_delta"})",
                stop,
                "[DONE]",
            }))
            .text(),
        "started\nusage fresh=3 out=1\ntext 0 \"Hi\"\nitem_end 0\nusage fresh=3 out=2\nfinish 0 "
        "stop\nended\n");
}

TEST(AnthropicWire, KeepsServerToolsAndUnknownBlocksToItself) {
    EXPECT_EQ(
        told(
            stream_of({
                start,
                R"({"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}})",
                arguments(0, R"({\"query\":1})"),
                block_stop(0),
                R"({"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://a"}]}})",
                block_stop(1),
                R"({"type":"content_block_start","index":2,"content_block":{"type":"compaction","content":null}})",
                R"({"type":"content_block_delta","index":2,"delta":{"type":"compaction_delta","content":"summary"}})",
                block_stop(2),
                R"({"type":"content_block_start","index":3,"content_block":{"type":"fallback","from":{"model":"a"}}})",
                block_stop(3),
                R"({"type":"something_new","index":9})",
                tool_block(4, "toolu_1", "find"),
                block_stop(4),
                tool_use,
                stop,
            }))
            .text(),
        "started\nusage fresh=40 out=1\n"
        "tool 0 #0 id=call_toolu_1 name=find\nargs 0 #0 \"{}\"\ntool_end 0 #0\n"
        "usage fresh=40 out=31\nfinish 0 tool_calls\nended\n");
}

TEST(AnthropicWire, KeepsSignedThinkingForTheTurnAfterATool) {
    EXPECT_EQ(
        told(
            stream_of({
                start,
                R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
                R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h\ud83d"}})",
                R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"\ude00m\n"}})",
                R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq+/="}})",
                block_stop(0),
                R"({"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"zzz"}})",
                block_stop(1),
                tool_block(2, "toolu_1", "now"),
                block_stop(2),
                tool_use,
                stop,
            }))
            .text(),
        "started\nusage fresh=40 out=1\n"
        "reasoning 0 \"h\"\nreasoning 0 \"\xF0\x9F\x98\x80m\\n\"\n"
        "reasoning_signed 0 \"Eq+/=\" by anthropic/claude\nitem_end 0\n"
        "reasoning_encrypted 0 \"zzz\" by anthropic/claude\n"
        "tool 0 #0 id=call_toolu_1 name=now\nargs 0 #0 \"{}\"\n"
        "state call_toolu_1 "
        "[{\"type\":\"thinking\",\"thinking\":\"h\xF0\x9F\x98\x80m\\n\",\"signature\":\"Eq+/=\"},"
        "{\"type\":\"redacted_thinking\",\"data\":\"zzz\"}]\n"
        "tool_end 0 #0\n"
        "usage fresh=40 out=31\nfinish 0 tool_calls\nended\n");
}

TEST(AnthropicWire, KeepsASignatureWhoseThinkingIsNotShown) {
    const auto recorder = told(stream_of({
        start,
        R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S"}})",
        block_stop(0),
        tool_block(1, "toolu_1", "now"),
        block_stop(1),
        tool_use,
        stop,
    }));
    EXPECT_NE(recorder.text().find(
                  R"(state call_toolu_1 [{"type":"thinking","thinking":"","signature":"S"}])"),
              std::string::npos)
        << recorder.text();
}

TEST(AnthropicWire, TellsWhatTheModelCites) {
    const auto recorder = told(stream_of({
        start,
        text_block,
        R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","cited_text":"c","url":"https:\/\/a.b/c","title":"A \"b\"","encrypted_index":"x"}}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"c","document_index":0,"document_title":"D","start_char_index":3,"end_char_index":7,"file_id":"file_1"}}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"page_location","cited_text":"c","document_index":1,"document_title":null,"start_page_number":2,"end_page_number":4}}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"content_block_location","cited_text":"c","document_index":2,"start_block_index":0,"end_block_index":1}}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"search_result_location","cited_text":"c","source":"https://d","title":null}}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"search_result_location","cited_text":"c","source":"kb/7","search_result_index":4,"start_block_index":0,"end_block_index":1}}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"new_location","cited_text":"c"}}})",
        block_stop(0),
        end_turn,
        stop,
    }));
    EXPECT_EQ(
        recorder.text(),
        "started\nusage fresh=40 out=1\n"
        R"(citation 0 address url="https://a.b/c" title="A \"b\"" cited_text="c" reference="x")"
        "\n"
        R"(citation 0 characters title="D" cited_text="c" document=0 start=3 end=7 file_id="file_1")"
        "\n"
        R"(citation 0 pages cited_text="c" document=1 start=2 end=4)"
        "\n"
        R"(citation 0 blocks cited_text="c" document=2 start=0 end=1)"
        "\n"
        R"(citation 0 search_result url="https://d" cited_text="c")"
        "\n"
        R"(citation 0 search_result url="kb/7" cited_text="c" document=4 start=0 end=1)"
        "\nusage fresh=40 out=5\nfinish 0 stop\nended\n");
}

TEST(AnthropicWire, ShowsTheAnswerToolsInputAsText) {
    const std::string stream =
        stream_of({start, tool_block(0, "toolu_1", answer_tool), arguments(0, ""),
                   arguments(0, R"({\"a\":)"), arguments(0, "1}"), block_stop(0), tool_use, stop});
    EXPECT_EQ(told(stream).text(),
              "started\nusage fresh=40 out=1\ntext 0 \"{\\\"a\\\":\"\ntext 0 \"1}\"\nitem_end 0\n"
              "usage fresh=40 out=31\nfinish 0 stop\nended\n");
}

TEST(AnthropicWire, EndsEveryStopReasonInTheClientsWords) {
    struct Case {
        std::string_view native;
        std::string_view finish;
    };
    constexpr Case cases[] = {
        {"end_turn", "stop"},      {"stop_sequence", "stop"},
        {"pause_turn", "pause"},   {"tool_use", "stop"},  // no call was made
        {"max_tokens", "length"},  {"model_context_window_exceeded", "length"},
        {"compaction", "length"},  {"refusal", "content_filter"},
        {"something_new", "stop"},
    };
    for (const auto& [native, finish] : cases) {
        const auto recorder = told(stream_of(
            {start, text_block, hel,
             fmt::format(
                 R"({{"type":"message_delta","delta":{{"stop_reason":"{}"}},"usage":{{"output_tokens":2}}}})",
                 native),
             stop}));
        EXPECT_NE(recorder.text().find(fmt::format("finish 0 {}\nended\n", finish)),
                  std::string::npos)
            << native << "\n"
            << recorder.text();
        EXPECT_EQ(recorder.natives(), std::vector<std::string>{std::string(native)});
    }
}

TEST(AnthropicWire, TellsWhichStopSequenceWasHit) {
    constexpr std::string_view stopped = R"("stop_reason":"stop_sequence","stop_sequence":"E\"ND")";
    const std::string streamed =
        told(
            stream_of({start, text_block, hel,
                       fmt::format(R"({{"type":"message_delta","delta":{{{}}}}})", stopped), stop}))
            .text();
    const std::string whole =
        told(fmt::format(R"({{"type":"message","content":[],{}}})", stopped)).text();
    for (const std::string& text : {streamed, whole})
        EXPECT_TRUE(text.ends_with("finish 0 stop at \"E\\\"ND\"\nended\n")) << text;
}

TEST(AnthropicWire, TellsWhyItRefuses) {
    constexpr std::string_view stopped =
        R"("stop_reason":"refusal","stop_details":{"type":"refusal","category":"x","explanation":"Not \"this\"."})";
    const std::string streamed =
        told(stream_of({start, fmt::format(R"({{"type":"message_delta","delta":{{{}}}}})", stopped),
                        stop}))
            .text();
    const std::string whole =
        told(fmt::format(R"({{"type":"message","content":[],{}}})", stopped)).text();
    for (const std::string& text : {streamed, whole})
        EXPECT_NE(text.find("refusal 0 \"Not \\\"this\\\".\"\nfinish 0 content_filter\n"),
                  std::string::npos)
            << text;
    EXPECT_EQ(told(R"({"type":"message","content":[],"stop_reason":"refusal","stop_details":null})")
                  .text(),
              "started\nfinish 0 content_filter\nended\n");
}

TEST(AnthropicWire, OverwritesCountsFieldByField) {
    struct Case {
        std::string_view at_start;
        std::vector<std::string_view> later;
        std::string_view usage;
    };
    const Case cases[] = {
        {R"({"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":1})",
         {R"({"output_tokens":5})"},
         "usage fresh=10 cache_read=90 out=5\n"},
        {R"({"input_tokens":84,"cache_read_input_tokens":1792,"cache_creation_input_tokens":0,"output_tokens":1})",
         {R"({"output_tokens":5})", R"({"output_tokens":16})"},
         "usage fresh=84 cache_read=1792 cache_write=0 out=16\n"},
        {R"({"input_tokens":0,"cache_read_input_tokens":null,"output_tokens":0})",
         {R"({"input_tokens":32,"cache_read_input_tokens":null,"output_tokens":16,"output_tokens_details":{"thinking_tokens":7}})"},
         "usage fresh=32 out=16 reasoning=7\n"},
        // A compaction is billed, but not in the top level.
        {R"({"input_tokens":1,"output_tokens":1})",
         {R"({"input_tokens":181,"cache_read_input_tokens":0,"output_tokens":8,"iterations":[{"type":"compaction","input_tokens":100,"output_tokens":83,"cache_read_input_tokens":55096},{"type":"message","input_tokens":181,"output_tokens":8,"cache_read_input_tokens":0}]})"},
         "usage fresh=281 cache_read=55096 out=91\n"},
        // An advisor is another model's bill.
        {R"({"input_tokens":1,"output_tokens":1})",
         {R"({"input_tokens":30,"output_tokens":3,"iterations":[{"type":"message","input_tokens":10,"output_tokens":1},{"type":"advisor_message","input_tokens":99,"output_tokens":99},{"type":"message","input_tokens":20,"output_tokens":2}]})"},
         "usage fresh=30 out=3\n"},
        {R"({"input_tokens":1,"output_tokens":1})",
         {R"({"input_tokens":25,"output_tokens":8,"iterations":[{"type":"message","input_tokens":20,"output_tokens":2},{"type":"fallback_message","input_tokens":25,"output_tokens":8}]})"},
         "usage fresh=25 out=8\n"},
    };
    for (const Case& c : cases) {
        std::string stream = stream_of({fmt::format(
            R"({{"type":"message_start","message":{{"id":"m","usage":{}}}}})", c.at_start)});
        for (const std::string_view usage : c.later)
            stream += stream_of({fmt::format(
                R"({{"type":"message_delta","delta":{{"stop_reason":"end_turn"}},"usage":{}}})",
                usage)});
        stream += stream_of({stop});
        const std::string text = told(stream).text();
        EXPECT_EQ(text.substr(text.rfind("usage"), c.usage.size()), c.usage) << text;
    }
}

TEST(AnthropicWire, IgnoresASecondStartOfTheSameMessage) {
    EXPECT_EQ(told(stream_of({start, start, text_block, hel, end_turn, stop})).text(),
              "started\nusage fresh=40 out=1\ntext 0 \"Hel\"\nusage fresh=40 out=5\nitem_end 0\n"
              "finish 0 stop\nended\n");
}

TEST(AnthropicWire, FailsWhenAnotherMessageStartsInsideTheAnswer) {
    EXPECT_EQ(told(stream_of({start, text_block, hel,
                              R"({"type":"message_start","message":{"id":"msg_10"}})", stop}))
                  .text(),
              "started\nusage fresh=40 out=1\ntext 0 \"Hel\"\nfailed upstream_malformed\nended\n");
}

constexpr std::string_view overloaded =
    R"({"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"}   })";

TEST(AnthropicWire, FailsWithTheProvidersErrorInTheMiddleOfAStream) {
    const auto recorder = told(stream_of({start, text_block, hel, overloaded}));
    EXPECT_EQ(recorder.text(),
              "started\nusage fresh=40 out=1\ntext 0 \"Hel\"\nfailed upstream_overloaded\nended\n");
    ASSERT_EQ(recorder.errors().size(), 1u);
    EXPECT_EQ(recorder.errors()[0].message, "Anthropic returned 529 overloaded");
}

TEST(AnthropicWire, FailsBeforeAnythingIsVisibleWhenTheErrorComesFirst) {
    EXPECT_EQ(told(stream_of({overloaded})).text(), "failed upstream_overloaded\nended\n");
    EXPECT_EQ(told(stream_of({start, overloaded})).text(),
              "started\nusage fresh=40 out=1\nfailed upstream_overloaded\nended\n");
    EXPECT_EQ(told("event: error\ndata: upstream went away\n\n").errors().size(), 1u);
}

TEST(AnthropicWire, FailsWhenTheStreamIsCutBeforeItsEnd) {
    const std::string stream = text_then_two_tools();
    const std::string cut = stream.substr(0, stream.find("data: " + std::string(tool_use)));
    EXPECT_TRUE(told(cut).text().ends_with("failed upstream_truncated\nended\n"))
        << told(cut).text();
    EXPECT_EQ(told("data: ").text(), "failed upstream_truncated\nended\n");
}

TEST(AnthropicWire, GoesOnAfterAnEventNobodyCanRead) {
    EXPECT_EQ(told(stream_of({start, "{\"type\":\"content_block_delta\",", "17", "{}", text_block,
                              hel, end_turn, stop}))
                  .text(),
              "started\nusage fresh=40 out=1\ntext 0 \"Hel\"\nusage fresh=40 out=5\nitem_end 0\n"
              "finish 0 stop\nended\n");
}

TEST(AnthropicWire, TellsAWholeBodyAsItTellsAStream) {
    EXPECT_EQ(
        told(R"({"id":"msg_1","type":"message","role":"assistant","model":"c","content":[
            {"type":"thinking","thinking":"hm","signature":"S"},
            {"type":"text","text":"Let ","citations":[{"type":"web_search_result_location","url":"https://a","title":null}]},
            {"type":"redacted_thinking","data":"zzz"},
            {"type":"text","text":"me"},
            {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"q":1}},
            {"type":"tool_use","id":"toolu_1","name":"find","input":{"b": 1.50, "a": "\"x\""}},
            {"type":"tool_use","id":"toolu_2","name":"now","input":{}}],
            "stop_reason":"tool_use","usage":{"input_tokens":7,"output_tokens":9}})")
            .text(),
        "started\n"
        "reasoning 0 \"hm\"\n"
        "reasoning_signed 0 \"S\" by anthropic/claude\n"
        "item_end 0\n"
        "text 0 \"Let \"\n"
        "citation 0 address url=\"https://a\"\n"
        "item_end 0\n"
        "reasoning_encrypted 0 \"zzz\" by anthropic/claude\n"
        "text 0 \"me\"\n"
        "item_end 0\n"
        "tool 0 #0 id=call_toolu_1 name=find\n"
        R"(args 0 #0 "{\"b\":1.50,\"a\":\"\\\"x\\\"\"}")"
        "\n"
        R"(state call_toolu_1 [{"type":"thinking","thinking":"hm","signature":"S"},{"type":"redacted_thinking","data":"zzz"}])"
        "\n"
        "tool_end 0 #0\n"
        "tool 0 #1 id=call_toolu_2 name=now\n"
        "args 0 #1 \"{}\"\n"
        R"(state call_toolu_2 [{"type":"thinking","thinking":"hm","signature":"S"},{"type":"redacted_thinking","data":"zzz"}])"
        "\n"
        "tool_end 0 #1\n"
        "usage fresh=7 out=9\n"
        "finish 0 tool_calls\n"
        "ended\n");
}

TEST(AnthropicWire, TellsAnEmptyAnswerAsAnEmptyAnswer) {
    EXPECT_EQ(
        told(
            R"({"type":"message","content":[],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":3}})")
            .text(),
        "started\nusage fresh=7 out=3\nfinish 0 stop\nended\n");
}

TEST(AnthropicWire, FailsForABodyThatIsNoMessage) {
    EXPECT_EQ(told(R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})")
                  .text(),
              "failed upstream_overloaded\nended\n");
    EXPECT_EQ(told(R"({"hello":1})").text(), "failed upstream_malformed\nended\n");
    EXPECT_EQ(told(R"({"type":"message","content":[)").text(),
              "failed upstream_malformed\nended\n");
}

// What a client of this API is told, and what others are.
std::string lines_for(std::string_view api, std::string_view bytes) {
    json::Parser parser;
    IdSource ids(1);
    TimelineRecorder recorder;
    TurnOptions options;
    options.native_api = "messages";
    answer_in(api, options);
    AnswerReader reader(std::make_unique<MessagesWire>(&parser), options, &recorder, &ids);
    std::string copy(bytes);
    reader.feed(Padded::of(copy));
    reader.finish();
    return recorder.text();
}

TEST(AnthropicWire, TellsItsOwnClientsWhatNobodyElseKnows) {
    const std::string stream = stream_of(
        {R"({"type":"message_start","message":{"id":"m","usage":{"input_tokens":1,"x":2},"container":null}})",
         R"({"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","input":{}}})",
         R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}})",
         R"({"type":"content_block_stop","index":0})",
         R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
         R"({"type":"content_block_stop","index":1})",
         R"({"type":"message_delta","delta":{"stop_reason":"end_turn","container":{"id":"c"}},"usage":{"output_tokens":1}})",
         R"({"type":"message_stop"})"});
    const std::string own = lines_for("messages", stream);
    for (const std::string_view line :
         {R"(native messages answer {"container":null})",
          R"(native messages usage {"input_tokens":1,"x":2})",
          R"(native messages item {"type":"server_tool_use","id":"s","input":{}})",
          R"(native messages addition {"type":"input_json_delta","partial_json":"{}"})",
          R"(native messages item {"type":"text","text":""})",
          R"(native messages finish {"container":{"id":"c"}})"})
        EXPECT_TRUE(own.contains(line)) << line << " in\n" << own;
    EXPECT_FALSE(lines_for("chat", stream).contains("native"));
}

TEST(AnthropicWire, DoesNotTellWhatIsNotJson) {
    const std::string own = lines_for(
        "messages",
        stream_of(
            {R"({"type":"message_start","message":{"id":"m"}})",
             R"({"type":"content_block_start","index":0,"content_block":{"type":"new","x":tru}})",
             R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":"a"}})",
             R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})",
             R"({"type":"message_stop"})"}));
    EXPECT_FALSE(own.contains("tru")) << own;
    EXPECT_TRUE(own.contains(R"(text 0 "a")")) << own;
}

}  // namespace
}  // namespace runnel::provider::anthropic
