#include "api/chat/timeline_stream.hpp"

#include "api/registry.hpp"
#include "support/golden_envelope.hpp"
#include "support/logprobs.hpp"

#include <gtest/gtest.h>

// The specification's own vectors are in tests/fixtures/golden.
namespace runnel::api {
namespace {

using namespace runnel::timeline;
using testing::done;
using testing::golden;

constexpr std::string_view head =
    R"({"id":"chatcmpl-T","object":"chat.completion.chunk","created":1700000000,"model":"m1",)"
    R"("system_fingerprint":"fp_gw01","choices":[)";

std::string chunk(std::string_view choices, std::string_view after = R"(,"usage":null)") {
    return "data: " + std::string(head) + std::string(choices) + "]" + std::string(after) + "}\n\n";
}

std::string delta(std::string_view inside, int choice = 0) {
    return chunk(R"({"index":)" + std::to_string(choice) + R"(,"delta":{)" + std::string(inside) +
                 R"(},"logprobs":null,"finish_reason":null})");
}

std::string finish(std::string_view inside, std::string_view reason,
                   std::string_view usage = "null", int choice = 0) {
    return chunk(R"({"index":)" + std::to_string(choice) + R"(,"delta":{)" + std::string(inside) +
                     R"(},"logprobs":null,"finish_reason":")" + std::string(reason) + R"("})",
                 R"(,"usage":)" + std::string(usage));
}

std::string call(int index, std::string_view id, std::string_view arguments) {
    return R"("tool_calls":[{"index":)" + std::to_string(index) + R"(,"id":")" + std::string(id) +
           R"(","type":"function","function":{"name":"f","arguments":")" + std::string(arguments) +
           R"("}}])";
}

std::string encoded(const std::vector<Event>& events, const Envelope& envelope = golden) {
    return testing::encoded(*dialect_named("timeline"), envelope, events);
}

TEST(TimelineStream, PutsTheRoleOnTheFirstUsefulChunkOfEachChoice) {
    EXPECT_EQ(encoded({Started{}, Reasoning{0, "hm"}, Text{0, "a"}, Text{1, "b"}, Text{1, "c"}}),
              delta(R"("role":"assistant","reasoning":"hm")") + delta(R"("content":"a")") +
                  delta(R"("role":"assistant","content":"b")", 1) + delta(R"("content":"c")", 1));
}

TEST(TimelineStream, PutsTheRoleOnTheFinishOfAnEmptyAnswer) {
    EXPECT_EQ(encoded({Started{}, Finished{0, Finish::stop, ""}, Ended{}}),
              finish(R"("role":"assistant","content":"")", "stop") + done);
}

TEST(TimelineStream, ShowsUsageOnTheLastFinishWithoutBeingAsked) {
    const std::string usage = R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":9})";
    EXPECT_EQ(encoded({
                  Text{0, "a"},
                  Text{1, "b"},
                  Finished{0, Finish::stop, ""},
                  Finished{1, Finish::length, ""},
                  Ended{},
              }),
              delta(R"("role":"assistant","content":"a")") +
                  delta(R"("role":"assistant","content":"b")", 1) + finish("", "stop") +
                  finish("", "length", "null", 1) + done);
    EXPECT_EQ(encoded({UsageReported{{.fresh_input = 7, .output = 2}}, Text{0, "a"}, Text{1, "b"},
                       Finished{0, Finish::stop, ""}, Finished{1, Finish::length, ""}, Ended{}}),
              delta(R"("role":"assistant","content":"a")") +
                  delta(R"("role":"assistant","content":"b")", 1) + finish("", "stop") +
                  finish("", "length", usage, 1) + done);
}

TEST(TimelineStream, WaitsForUsageThatComesAfterTheFinish) {
    EXPECT_EQ(
        encoded({Text{0, "a"}, Finished{0, Finish::stop, ""},
                 UsageReported{{.fresh_input = 7, .output = 2}}, Ended{}}),
        delta(R"("role":"assistant","content":"a")") +
            finish("", "stop", R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":9})") +
            done);
}

TEST(TimelineStream, CountsCachedTokensApartFromThePrompt) {
    const Usage usage{.fresh_input = 84, .cache_read = 1792, .output = 16};
    const std::string expected =
        R"({"prompt_tokens":84,"completion_tokens":16,"total_tokens":1892,)"
        R"("prompt_tokens_details":{"cached_tokens":1792}})";
    const std::vector<Event> events = {Text{0, "a"}, UsageReported{usage},
                                       Finished{0, Finish::stop, ""}, Ended{}};
    EXPECT_TRUE(encoded(events).ends_with(finish("", "stop", expected) + done));
    EXPECT_TRUE(testing::whole(*dialect_named("timeline"), golden, events)
                    .ends_with(R"("usage":)" + expected + "}"));
}

TEST(TimelineStream, ShowsEachCallOnceItIsWholeInTheOrderOfTheirNumbers) {
    EXPECT_EQ(encoded({ToolStarted{0, 0, "c0", "f"}, ToolArguments{0, 0, R"({\"q\":)"},
                       ToolStarted{0, 1, "c1", "f"}, ToolArguments{0, 1, "{}"}, ToolEnded{0, 1},
                       Text{0, "…"}, ToolArguments{0, 0, "1}"}, ToolEnded{0, 0}}),
              delta(R"("role":"assistant","content":"…")") + delta(call(0, "c0", R"({\"q\":1})")) +
                  delta(call(1, "c1", "{}")));
    EXPECT_EQ(encoded({ToolStarted{0, 0, "c\"", "f"}, ToolEnded{0, 0}}),
              delta(R"("role":"assistant",)" + call(0, R"(c\")", "")));
}

TEST(TimelineStream, LeavesOutCallsThatAFailureCutShort) {
    EXPECT_EQ(encoded({Text{0, "a"}, ToolStarted{0, 0, "c0", "f"}, ToolArguments{0, 0, "{"},
                       Failed{{ErrorKind::upstream_truncated, "cut \"off\""}}, Ended{}}),
              delta(R"("role":"assistant","content":"a")") +
                  chunk(R"({"index":0,"delta":{"content":""},"logprobs":null,)"
                        R"("finish_reason":"error"})",
                        R"(,"usage":null,"error":{"code":"server_error",)"
                        R"("message":"cut \"off\""})") +
                  done);
}

TEST(TimelineStream, SaysWhoFailedAlsoWhereNothingCameBefore) {
    EXPECT_EQ(encoded({Finished{0, Finish::stop, ""}, Failed{{ErrorKind::internal_error, "no"}},
                       Ended{}}),
              chunk(R"({"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,)"
                    R"("finish_reason":"error"})",
                    R"(,"usage":null,"error":{"code":"server_error","message":"no"})") +
                  done);
}

std::string server_tool(std::string_view state, std::string_view more = "") {
    return chunk("", R"(,"servertool":{"name":"gas","id":"srv_1","contents":"{\"chain\": 1}",)"
                     R"("state":")" +
                         std::string(state) + R"(")" + std::string(more) + R"(},"usage":null)");
}

const std::vector<Event> tool_run = {
    ServerTool{ServerTool::State::created, "srv_1", "gas", R"({"chain": 1})"},
    ServerTool{ServerTool::State::running, "srv_1", "gas", R"({"chain": 1})"},
    ServerTool{ServerTool::State::completed, "srv_1", "gas", R"({"chain": 1})", "{\"a\":\n[1, 2]}"},
    ServerTool{ServerTool::State::failed, "srv_1", "gas", R"({"chain": 1})", R"("no node")"}};

TEST(TimelineStream, ShowsEachStateOfAServersTool) {
    EXPECT_EQ(encoded(tool_run), server_tool("Created") + server_tool("Running") +
                                     server_tool("Completed") + server_tool("Failed"));
}

TEST(TimelineStream, ShowsNothingOfAHiddenTool) {
    Envelope envelope = golden;
    envelope.hidden_tools = {"gas"};
    EXPECT_EQ(encoded(tool_run, envelope), "");
}

TEST(TimelineStream, ShowsWhatAServersToolGaveBackOnlyWhereAsked) {
    Envelope envelope = golden;
    envelope.tool_results = Envelope::ToolResults::shown;
    EXPECT_EQ(encoded(tool_run, envelope),
              server_tool("Created") + server_tool("Running") +
                  server_tool("Completed", R"(,"result":{"a":[1,2]})") +
                  server_tool("Failed", R"(,"error":"no node")"));
}

TEST(TimelineStream, ShowsWhyAModelRanATool) {
    ServerTool run{ServerTool::State::created, "srv_1", "gas", R"({"chain": 1})"};
    run.explanation_raw = R"({"reason":"r","goal":"g"})";
    EXPECT_EQ(encoded({run}),
              server_tool("Created", R"(,"explanation":{"reason":"r","goal":"g"})"));
}

TEST(TimelineStream, KeepsLogprobsWithTheirText) {
    EXPECT_EQ(
        encoded({testing::logprob("1"), Text{0, "a"}}),
        chunk(
            R"({"index":0,"delta":{"role":"assistant","content":"a"},)"
            R"("logprobs":{"content":[{"token":"1","logprob":-1,"bytes":null,"top_logprobs":[]}],"refusal":null},)"
            R"("finish_reason":null})"));
}

TEST(TimelineStream, HidesReasoningWithoutATrace) {
    Envelope envelope = golden;
    envelope.reasoning = Envelope::Reasoning::hidden;
    EXPECT_EQ(encoded({Reasoning{0, "hm"}, Text{0, "4"}}, envelope),
              delta(R"("role":"assistant","content":"4")"));
}

TEST(TimelineDialect, WritesAWholeAnswer) {
    EXPECT_EQ(
        testing::whole(*dialect_named("timeline"), golden,
                       {Reasoning{0, "hm"}, Text{0, "let me look"}, tool_run[0], tool_run[2],
                        Text{0, "4"}, Finished{0, Finish::stop, ""}, Ended{}}),
        R"({"id":"chatcmpl-T","object":"chat.completion","created":1700000000,"model":"m1",)"
        R"("system_fingerprint":"fp_gw01","choices":[{"index":0,"message":{"role":"assistant",)"
        R"("content":"let me look4","reasoning":"hm","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],)"
        R"("usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}})");
}

}  // namespace
}  // namespace runnel::api
