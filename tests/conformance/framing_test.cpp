#include "transcoding.hpp"

#include <gtest/gtest.h>

namespace runnel::conformance {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

// Every legal way to write the same SSE stream.
std::vector<std::pair<std::string, std::string>> forms_of(const std::string& stream) {
    std::string no_blank_line = stream;
    no_blank_line.pop_back();
    std::string no_line_end = no_blank_line;
    no_line_end.pop_back();
    return {
        {"CRLF", replaced(stream, "\n", "\r\n")},
        {"CR", replaced(stream, "\n", "\r")},
        {"no space after the colon", replaced(stream, "data: ", "data:")},
        // Between two members of an object a line break is only space.
        {"data over several lines", replaced(stream, ",\"", ",\ndata: \"")},
        {"comments",
         ": hello\n\n" + replaced(stream, "\n\n", "\n: OPENROUTER PROCESSING\n\n:\n\n")},
        {"a byte order mark", "\xEF\xBB\xBF" + stream},
        {"named events", replaced(stream, "data: {", "event: message\nid: 7\nretry: 10\ndata: {")},
        {"fields nobody knows", replaced(stream, "}\n\n", "}\nmood: fine\nlonely\n\n")},
        {"empty events", "\n\n" + replaced(stream, "\n\n", "\n\n\n\ndata\n\nevent: ping\n\n")},
        {"no blank line at the end", no_blank_line},
        {"no line end at the end", no_line_end},
    };
}

TEST(SseFraming, ReadsTheSameStreamInEveryLegalForm) {
    const std::string upstream = golden_file("v01_text/upstream.sse");
    const std::string expected = golden_file("v01_text/openai.sse");
    for (const auto& [name, form] : forms_of(upstream)) {
        EXPECT_TRUE(nothing_in(first_difference(expected, transcoded("openai", form)))) << name;
        for (const std::size_t split : {1, 2, 3, 5}) {
            cli::TranscodeOptions options;
            options.from = "openai";
            options.split = split;
            EXPECT_TRUE(nothing_in(first_difference(expected, transcoded(options, form))))
                << name << ", " << split << " bytes at a time";
        }
    }
}

TEST(SseFraming, ReadsAnthropicsEventsInEveryLegalForm) {
    cli::TranscodeOptions options;
    options.from = "anthropic";
    options.include_usage = true;
    const std::string upstream = golden_file("v02_parallel_tools/upstream.sse");
    for (const auto& [name, form] : forms_of(upstream))
        EXPECT_TRUE(nothing_in(first_difference(golden_file("v02_parallel_tools/openai.sse"),
                                                transcoded(options, form))))
            << name;
}

TEST(SseFraming, ReadsGeminisArrayLikeItsEvents) {
    const std::string upstream = golden_file("v03_tool_first/upstream.sse");
    std::string array = replaced(upstream, "data: ", "");
    array.erase(array.size() - 2);
    array = "[" + replaced(array, "\n\n", "\n,\r\n") + "\n]\n";
    for (const std::size_t split : {0, 1, 2, 3, 7}) {
        cli::TranscodeOptions options;
        options.from = "gemini";
        options.split = split;
        EXPECT_EQ(with_minted_ids_numbered(transcoded(options, array), array),
                  golden_file("v03_tool_first/openai.sse"))
            << split << " bytes at a time";
    }
}

TEST(Characters, SplitOverTwoReadsArriveWhole) {
    const std::string upstream = openai_sse(
        {"{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"caf\xC3\xA9 \xF0\x9F\x98\x80\"}}]}",
         R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"});
    for (std::size_t cut = 1; cut < upstream.size(); ++cut) {
        cli::TranscodeOptions options;
        options.from = "openai";
        options.cuts = {cut, upstream.size() - cut};
        ASSERT_EQ(only_choice(streamed_answer(options, upstream)).text,
                  "caf\xC3\xA9 \xF0\x9F\x98\x80")
            << cut;
    }
}

// One text in two fragments, as each provider would send them.
std::vector<std::pair<std::string, std::string>> fragments(const std::string& one,
                                                           const std::string& two) {
    return {
        {"openai", openai_sse({R"({"choices":[{"index":0,"delta":{"content":")" + one + R"("}}]})",
                               R"({"choices":[{"index":0,"delta":{"content":")" + two +
                                   R"("},"finish_reason":"stop"}]})"})},
        {"anthropic",
         sse({R"({"type":"message_start","message":{"usage":{"input_tokens":1}}})",
              R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
              R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
                  one + R"("}})",
              R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
                  two + R"("}})",
              R"({"type":"content_block_stop","index":0})",
              R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}})",
              R"({"type":"message_stop"})"})},
        {"gemini", sse({R"({"candidates":[{"content":{"parts":[{"text":")" + one + R"("}]}}]})",
                        R"({"candidates":[{"content":{"parts":[{"text":")" + two +
                            R"("}]},"finishReason":"STOP"}]})"})},
        {"ollama", json_lines({R"({"message":{"content":")" + one + R"("},"done":false})",
                               R"({"message":{"content":")" + two + R"("},"done":false})",
                               R"({"message":{"content":""},"done":true,"done_reason":"stop"})"})},
    };
}

TEST(Characters, SurrogatesSplitOverTwoFragmentsArriveJoined) {
    for (const auto& [from, upstream] : fragments(R"(a\ud83d)", R"(\ude00b)"))
        EXPECT_EQ(only_choice(streamed_answer(from, upstream)).text, "a\xF0\x9F\x98\x80"
                                                                     "b")
            << from;
}

TEST(Characters, Utf8SplitOverTwoFragmentsArrivesJoined) {
    for (const auto& [from, upstream] : fragments("a\xC3", "\xA9"
                                                           "b"))
        EXPECT_EQ(only_choice(streamed_answer(from, upstream)).text, "a\xC3\xA9"
                                                                     "b")
            << from;
    for (const auto& [from, upstream] : fragments("\xF0\x9F", "\x98\x80"))
        EXPECT_EQ(only_choice(streamed_answer(from, upstream)).text, "\xF0\x9F\x98\x80") << from;
}

// A half that never gets its other half is replaced; what matters is that the frame is valid and
// the rest is there.
TEST(Characters, HalvesWithoutTheirOtherHalfDoNotBreakTheStream) {
    for (const auto& half :
         {std::string(R"(a\ud83d)"), std::string(R"(a\ude00)"), std::string("a\xC3")}) {
        for (const auto& [from, upstream] : fragments(half, "b")) {
            const std::string text = only_choice(streamed_answer(from, upstream)).text;
            EXPECT_TRUE(text.starts_with("a") && text.ends_with("b")) << from << ": " << text;
        }
        for (const auto& [from, upstream] : fragments("x", half))
            EXPECT_TRUE(only_choice(streamed_answer(from, upstream)).text.starts_with("xa"))
                << from;
    }
}

TEST(Characters, SurrogatesSplitOverArgumentsArriveJoined) {
    const std::string upstream = openai_sse(
        {R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function",)"
         R"("function":{"name":"f","arguments":"{\"q\":\"\ud83d"}}]}}]})",
         R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\ude00\"}"}}]}}]})",
         R"({"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})"});
    const Choice choice = only_choice(streamed_answer("openai", upstream));
    ASSERT_EQ(choice.tool_calls.size(), 1u);
    EXPECT_EQ(choice.tool_calls[0].arguments, "{\"q\":\"\xF0\x9F\x98\x80\"}");
}

TEST(Characters, ControlCharactersStayEscaped) {
    for (const auto& [from, upstream] : fragments(R"(a\u0000\u0001\n\t)", R"(\"\\\/\b\f)"))
        EXPECT_EQ(only_choice(streamed_answer(from, upstream)).text,
                  std::string("a\0\1\n\t\"\\/\b\f", 10))
            << from;
}

}  // namespace
}  // namespace runnel::conformance
