#include "api/chat/openai_stream.hpp"

#include "api/registry.hpp"
#include "support/golden_envelope.hpp"
#include "support/logprobs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace runnel::api {
namespace {

using namespace timeline;

using testing::done;
using testing::golden;
using testing::logprob;

Envelope with_usage() { return testing::golden_with_usage(); }

std::string encoded(const Envelope& envelope, const std::vector<Event>& events) {
    return testing::encoded(*dialect_named("openai"), envelope, events);
}

// A frame of the golden envelope around this content of `choices` and what follows it.
std::string chunk(std::string_view choices, std::string_view after = "") {
    return R"(data: {"id":"chatcmpl-T","object":"chat.completion.chunk","created":1700000000,"model":"m1","choices":[)" +
           std::string(choices) + "]" + std::string(after) + "}\n\n";
}

std::string delta(std::string_view inside, std::string_view after = "") {
    return chunk(R"({"index":0,"delta":{)" + std::string(inside) + R"(},"finish_reason":null})",
                 after);
}

std::string finish(std::string_view reason, std::string_view after = "") {
    return chunk(R"({"index":0,"delta":{},"finish_reason":")" + std::string(reason) + R"("})",
                 after);
}

const std::string role = delta(R"("role":"assistant","content":"")");

TEST(OpenAiStream, WritesTextAsInVector1) {
    const auto bytes = encoded(golden, {Started{}, Text{0, "Hel"}, Text{0, "lo"},
                                        UsageReported{{.fresh_input = 7, .output = 2}},
                                        Finished{0, Finish::stop, "stop"}, Ended{}});
    EXPECT_EQ(
        bytes,
        "data: {\"id\":\"chatcmpl-T\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
        "\"model\":\"m1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":"
        "\"\"},"
        "\"finish_reason\":null}]}\n\n"
        "data: {\"id\":\"chatcmpl-T\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
        "\"model\":\"m1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"},"
        "\"finish_reason\":null}]}\n\n"
        "data: {\"id\":\"chatcmpl-T\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
        "\"model\":\"m1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},"
        "\"finish_reason\":null}]}\n\n"
        "data: {\"id\":\"chatcmpl-T\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
        "\"model\":\"m1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
        "data: [DONE]\n\n");
}

TEST(OpenAiStream, WritesParallelToolCallsAndUsageAsInVector2) {
    const std::string null_usage = R"(,"usage":null)";
    const auto call = [&](std::string_view inside) {
        return delta(R"("tool_calls":[)" + std::string(inside) + "]", null_usage);
    };
    EXPECT_EQ(
        encoded(with_usage(), {Text{0, "Checking."}, ToolStarted{0, 0, "call_toolu_01A", "find"},
                               ToolArguments{0, 0, R"({\"q\":)"}, ToolArguments{0, 0, R"(\"x\"})"},
                               ToolEnded{0, 0}, ToolStarted{0, 1, "call_toolu_01B", "now"},
                               ToolArguments{0, 1, "{}"}, ToolEnded{0, 1},
                               UsageReported{{.fresh_input = 40, .output = 31}},
                               Finished{0, Finish::tool_calls, "tool_use"}, Ended{}}),
        delta(R"("role":"assistant","content":"")", null_usage) +
            delta(R"("content":"Checking.")", null_usage) +
            call(
                R"({"index":0,"id":"call_toolu_01A","type":"function","function":{"name":"find","arguments":""}})") +
            call(R"({"index":0,"function":{"arguments":"{\"q\":"}})") +
            call(R"({"index":0,"function":{"arguments":"\"x\"}"}})") +
            call(
                R"({"index":1,"id":"call_toolu_01B","type":"function","function":{"name":"now","arguments":""}})") +
            call(R"({"index":1,"function":{"arguments":"{}"}})") +
            finish("tool_calls", null_usage) +
            chunk("", R"(,"usage":{"prompt_tokens":40,"completion_tokens":31,"total_tokens":71})") +
            done);
}

TEST(OpenAiStream, OpensWithNullContentWhenAToolCallComesFirstAsInVector3) {
    EXPECT_EQ(
        encoded(golden,
                {ToolStarted{0, 0, "call_2b1f", "find"}, ToolArguments{0, 0, R"({\"q\":\"x\"})"},
                 ToolEnded{0, 0}, Finished{0, Finish::tool_calls, "STOP"}, Ended{}}),
        delta(R"("role":"assistant","content":null)") +
            delta(
                R"("tool_calls":[{"index":0,"id":"call_2b1f","type":"function","function":{"name":"find","arguments":""}}])") +
            delta(R"("tool_calls":[{"index":0,"function":{"arguments":"{\"q\":\"x\"}"}}])") +
            finish("tool_calls") + done);
}

TEST(OpenAiStream, EndsWithAnErrorFrameAndNothingElseAsInVector4) {
    const Error overloaded{ErrorKind::upstream_overloaded, "Anthropic returned 529 overloaded"};
    EXPECT_EQ(encoded(with_usage(), {Text{0, "Hel"}, UsageReported{{.fresh_input = 7, .output = 2}},
                                     Failed{overloaded}, Ended{}}),
              delta(R"("role":"assistant","content":"")", R"(,"usage":null)") +
                  delta(R"("content":"Hel")", R"(,"usage":null)") +
                  "data: {\"error\":{\"message\":\"Anthropic returned 529 "
                  "overloaded\",\"type\":\"server_error\","
                  "\"code\":\"tool_provider_error\",\"param\":null}}\n\n" +
                  done);
}

TEST(OpenAiStream, WritesReasoningInItsOwnFieldAsInVector7) {
    EXPECT_EQ(encoded(golden, {Reasoning{0, "hm"}, Text{0, "4"}}),
              role + delta(R"("reasoning_content":"hm")") + delta(R"("content":"4")"));
}

TEST(OpenAiStream, PutsUsageAfterTheFinishAsInVector11) {
    EXPECT_EQ(
        encoded(with_usage(), {Text{0, "Hello"}, UsageReported{{.fresh_input = 7, .output = 2}},
                               Finished{0, Finish::stop, "stop"}, Ended{}}),
        delta(R"("role":"assistant","content":"")", R"(,"usage":null)") +
            delta(R"("content":"Hello")", R"(,"usage":null)") + finish("stop", R"(,"usage":null)") +
            chunk("", R"(,"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9})") +
            done);
}

TEST(OpenAiStream, CountsCachedTokensAsPromptTokensAndNamesOnlyWhatWasReported) {
    const Usage usage{.fresh_input = 84, .cache_read = 1792, .output = 16, .reasoning = 4};
    const auto bytes =
        encoded(with_usage(), {UsageReported{usage}, Finished{0, Finish::stop, ""}, Ended{}});
    EXPECT_TRUE(bytes.ends_with(
        chunk("", R"(,"usage":{"prompt_tokens":1876,"completion_tokens":16,"total_tokens":1892,)"
                  R"("prompt_tokens_details":{"cached_tokens":1792},)"
                  R"("completion_tokens_details":{"reasoning_tokens":4}})") +
        done))
        << bytes;
}

TEST(OpenAiStream, WritesNothingBeforeTheFirstVisibleEvent) {
    EXPECT_EQ(encoded(golden, {Started{}, UsageReported{}, logprob("a")}), "");
}

TEST(OpenAiStream, WritesARoleAndAFinishForAnEmptyAnswer) {
    EXPECT_EQ(encoded(golden, {Started{}, Finished{0, Finish::stop, "stop"}, Ended{}}),
              role + finish("stop") + done);
}

TEST(OpenAiStream, HidesReasoningWithoutATrace) {
    Envelope envelope = golden;
    envelope.reasoning = Envelope::Reasoning::hidden;
    EXPECT_EQ(
        encoded(envelope, {Reasoning{0, "hm"}, ToolStarted{0, 0, "c", "f"}}),
        delta(R"("role":"assistant","content":null)") +
            delta(
                R"("tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}])"));
    EXPECT_EQ(encoded(envelope, {Reasoning{0, "hm"}}), "");
}

TEST(OpenAiStream, GivesEachChoiceItsRoleAndItsFinish) {
    const auto of_second = [](std::string_view inside, std::string_view reason) {
        return chunk(R"({"index":1,"delta":{)" + std::string(inside) + R"(},"finish_reason":)" +
                     std::string(reason) + "}");
    };
    EXPECT_EQ(encoded(golden, {Text{0, "a"}, Text{1, "b"}, Finished{0, Finish::stop, ""},
                               Finished{1, Finish::length, ""}, Ended{}}),
              role + delta(R"("content":"a")") +
                  of_second(R"("role":"assistant","content":"")", "null") +
                  of_second(R"("content":"b")", "null") + finish("stop") +
                  of_second("", R"("length")") + done);
}

TEST(OpenAiStream, AnnouncesChoicesInTheOrderOfTheirNumbers) {
    chat::Request request;
    request.n = 3;
    Envelope envelope = golden;
    envelope.request = &request;
    const auto of = [](int index, std::string_view inside) {
        return chunk(
            fmt::format(R"({{"index":{},"delta":{{{}}},"finish_reason":null}})", index, inside));
    };
    constexpr std::string_view begin = R"("role":"assistant","content":"")";
    EXPECT_EQ(encoded(envelope, {Text{1, "b"}, Text{0, "a"}, Text{2, "c"}}),
              of(0, begin) + of(1, begin) + of(1, R"("content":"b")") + of(0, R"("content":"a")") +
                  of(2, begin) + of(2, R"("content":"c")"));
    // A number that nobody asked for announces no others.
    request.n = 1;
    EXPECT_EQ(encoded(envelope, {Text{2, "c"}}), of(2, begin) + of(2, R"("content":"c")"));
}

TEST(OpenAiStream, WritesRefusalsAndAnnotationsAsDeltas) {
    const Citation known{.choice = 0,
                         .url = "https://a",
                         .title = R"(A \"b\")",
                         .cited_text = "c",
                         .text_start = 1,
                         .text_end = 2};
    EXPECT_EQ(
        encoded(golden, {Refusal{0, "No."}, known, Citation{.choice = 0, .url = "https://b"}}),
        role + delta(R"("refusal":"No.")") +
            delta(R"("annotations":[{"index":0,"type":"url_citation","url_citation":)"
                  R"({"start_index":1,"end_index":2,"url":"https://a","title":"A \"b\"",)"
                  R"("content":"c"}}])") +
            delta(R"("annotations":[{"index":1,"type":"url_citation","url_citation":)"
                  R"({"start_index":0,"end_index":0,"url":"https://b","title":""}}])"));
}

TEST(OpenAiStream, ShowsSourcesWithoutAnAddressInWordsOfItsOwn) {
    using Kind = Citation::Kind;
    EXPECT_EQ(encoded(golden, {Citation{.choice = 0,
                                        .kind = Kind::characters,
                                        .title = "Report",
                                        .cited_text = "c",
                                        .document = 0,
                                        .start = 3,
                                        .end = 9},
                               Citation{.choice = 0, .kind = Kind::pages, .file_id = "f"}}),
              role +
                  delta(R"("citations":[{"index":0,"type":"characters","document_index":0,)"
                        R"("title":"Report","cited_text":"c","start":3,"end":9}])") +
                  delta(R"("citations":[{"index":1,"type":"pages","file_id":"f"}])"));
    const auto found = [](std::string_view source) {
        return encoded(golden, {Citation{.choice = 0, .kind = Kind::search_result, .url = source}});
    };
    EXPECT_TRUE(found("kb/7").contains(R"("citations":[{"index":0,"type":"search_result",)"
                                       R"("source":"kb/7"}])"));
    EXPECT_TRUE(found("https://a").contains(R"("annotations")"));
    EXPECT_EQ(
        encoded(
            golden,
            {Citation{.choice = 0, .url = "u", .title = "t", .cited_text = "c", .reference = "r"}}),
        role + delta(R"("annotations":[{"index":0,"type":"url_citation","url_citation":)"
                     R"({"start_index":0,"end_index":0,"url":"u","title":"t"}}])"));
}

TEST(OpenAiStream, KeepsToItselfWhatOnlyOtherApisShow) {
    EXPECT_EQ(encoded(golden, {ReasoningSigned{0, "s", "a/b"}, ReasoningEncrypted{0, "d", "a/b"},
                               ItemEnded{0}}),
              "");
    EXPECT_EQ(encoded(golden, {Text{0, "a"}, Finished{0, Finish::pause, "pause_turn", "END"}}),
              role + delta(R"("content":"a")") + finish("stop"));
}

TEST(OpenAiStream, WritesImagesAndAudioAsDeltas) {
    const auto image = [](std::string_view url, int index) {
        return delta(R"("images":[{"index":)" + std::to_string(index) +
                     R"(,"type":"image_url","image_url":{"url":")" + std::string(url) + R"("}}])");
    };
    EXPECT_EQ(encoded(golden, {Media{0, Media::Kind::image, "image/png", "eA=="},
                               Media{.choice = 0, .kind = Media::Kind::image, .url = "https://a"}}),
              role + image("data:image/png;base64,eA==", 0) + image("https://a", 1));
    const auto audio = [](Media piece) {
        piece.kind = Media::Kind::audio;
        return encoded(golden, {piece});
    };
    EXPECT_EQ(audio({.choice = 0, .kind = {}, .id = "x", .transcript = "Hi"}),
              role + delta(R"("audio":{"id":"x","transcript":"Hi"})"));
    EXPECT_EQ(audio({.choice = 0, .kind = {}, .data = "AAAA"}),
              role + delta(R"("audio":{"id":"audio_chatcmpl-T","data":"AAAA"})"));
    EXPECT_EQ(audio({.choice = 0, .kind = {}, .expires_at = 7}),
              role + delta(R"("audio":{"id":"audio_chatcmpl-T","expires_at":7})"));
    const Media piece{.choice = 0, .kind = Media::Kind::audio, .data = "AAAA"};
    EXPECT_EQ(encoded(golden, {piece, piece}),
              role + delta(R"("audio":{"id":"audio_chatcmpl-T","data":"AAAA"})") +
                  delta(R"("audio":{"data":"AAAA"})"));
}

TEST(OpenAiStream, PutsLogprobsBesideTheTextTheyBelongTo) {
    const auto with = [](std::string_view logprobs) {
        return chunk(R"({"index":0,"delta":{"content":"a"},"logprobs":)" + std::string(logprobs) +
                     R"(,"finish_reason":null})");
    };
    const std::vector<TokenLogprob> top{{"a", "-0.50", "[ 97 ]"}, {"b", "-2"}};
    const std::vector<TokenLogprob> tokens{{R"(\n)", "-0.50", "[10]", top}, {"c", "-1"}};
    EXPECT_EQ(
        encoded(golden, {Logprobs{0, Logprobs::Of::text, tokens}, Text{0, "a"}, Text{0, "b"}}),
        role +
            with(R"({"content":[{"token":"\n","logprob":-0.50,"bytes":[10],"top_logprobs":)"
                 R"([{"token":"a","logprob":-0.50,"bytes":[97]},{"token":"b","logprob":-2}]},)"
                 R"({"token":"c","logprob":-1,"bytes":null,"top_logprobs":[]}],)"
                 R"("refusal":null})") +
            delta(R"("content":"b")"));
}

TEST(OpenAiStream, JoinsLogprobsWhoseTextComesLaterOrNever) {
    EXPECT_EQ(
        encoded(golden, {logprob("1"), logprob("2"), logprob("3", Logprobs::Of::refusal),
                         logprob("4", Logprobs::Of::reasoning), Finished{0, Finish::stop, ""}}),
        role +
            chunk(
                R"({"index":0,"delta":{},"logprobs":{"content":[)"
                R"({"token":"1","logprob":-1,"bytes":null,"top_logprobs":[]},)"
                R"({"token":"2","logprob":-1,"bytes":null,"top_logprobs":[]}],"refusal":[)"
                R"({"token":"3","logprob":-1,"bytes":null,"top_logprobs":[]}],"reasoning_content":[)"
                R"({"token":"4","logprob":-1,"bytes":null,"top_logprobs":[]}]},)"
                R"("finish_reason":"stop"})"));
}

TEST(OpenAiStream, EscapesWhatIsPlainAndLeavesAloneWhatIsEscaped) {
    Envelope envelope = golden;
    envelope.model = "a\"b\n";
    const auto bytes =
        encoded(envelope, {Text{0, R"(say \"hi\" é)"}, ToolStarted{0, 0, "c\"", "f\\"}});
    EXPECT_NE(bytes.find(R"("model":"a\"b\n",)"), std::string::npos);
    EXPECT_NE(bytes.find(R"("content":"say \"hi\" é")"), std::string::npos);
    EXPECT_NE(bytes.find(R"("id":"c\"","type":"function","function":{"name":"f\\",)"),
              std::string::npos);
}

TEST(OpenAiStream, ShowsNothingOfAServersTools) {
    const auto tool = [](ServerTool::State state) {
        return ServerTool{state, "srv_1", "gas", "{}", "1"};
    };
    const std::vector<Event> events = {
        tool(ServerTool::State::created), tool(ServerTool::State::running),
        tool(ServerTool::State::completed), tool(ServerTool::State::failed), HoldOver{}};
    EXPECT_EQ(encoded(golden, events), "");
    Envelope envelope = golden;
    envelope.tool_events = Envelope::ToolEvents::comments;
    EXPECT_EQ(encoded(envelope, events),
              ": tool gas started\n\n: tool gas ok\n\n: tool gas failed\n\n");
    EXPECT_EQ(encoded(envelope, {ServerTool{ServerTool::State::running, "srv_1", "a\nb", "{}"}}),
              ": tool a\\nb started\n\n");
    for (const std::string hidden : {"gas", "*"}) {
        envelope.hidden_tools = {hidden};
        EXPECT_EQ(encoded(envelope, events), "");
    }
    envelope.hidden_tools = {"other"};
    EXPECT_NE(encoded(envelope, events), "");
}

TEST(OpenAiStream, NamesWhoFailedByItsCode) {
    const auto code_of = [](ErrorKind kind) {
        const std::string bytes = encoded(golden, {Failed{{kind, "x"}}});
        const std::size_t at = bytes.find("\"code\":\"") + 8;
        return bytes.substr(at, bytes.find('"', at) - at);
    };
    EXPECT_EQ(code_of(ErrorKind::upstream_failed), "tool_provider_error");
    EXPECT_EQ(code_of(ErrorKind::upstream_rate_limited), "tool_provider_error");
    EXPECT_EQ(code_of(ErrorKind::upstream_rejected), "tool_provider_error");
    EXPECT_EQ(code_of(ErrorKind::upstream_timeout), "upstream_timeout");
    EXPECT_EQ(code_of(ErrorKind::upstream_truncated), "upstream_error");
    EXPECT_EQ(code_of(ErrorKind::internal_error), "internal_error");
}

TEST(OpenAiStream, AllocatesNothingForTextOnceTheStringIsLargeEnough) {
    std::string out;
    OpenAiStream encoder(golden, &out);
    encoder.on(Text{0, "warm up"});
    out.reserve(4096);
    out.clear();
    const char* const before = out.data();
    for (int i = 0; i < 10; ++i) encoder.on(Text{0, "a word"});
    EXPECT_EQ(out.data(), before);
    EXPECT_EQ(out.size(), 10 * delta(R"("content":"a word")").size());
}

}  // namespace
}  // namespace runnel::api
