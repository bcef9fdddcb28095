#include "api/chat/agent_stream.hpp"

#include "api/registry.hpp"
#include "base/limits.hpp"
#include "support/golden_envelope.hpp"
#include "support/logprobs.hpp"

#include <gtest/gtest.h>

// The specification's own vectors are in tests/fixtures/golden.
namespace runnel::api {
namespace {

using namespace runnel::timeline;
using testing::done;
using testing::golden;

std::string chunk(std::string_view choices, std::string_view after = "") {
    return R"(data: {"id":"chatcmpl-T","object":"chat.completion.chunk","created":1700000000,)"
           R"("model":"m1","choices":[)" +
           std::string(choices) + "]" + std::string(after) + "}\n\n";
}

std::string delta(std::string_view inside) {
    return chunk(R"({"index":0,"delta":{)" + std::string(inside) + R"(},"finish_reason":null})");
}

std::string first(std::string_view inside) {
    return delta(R"("role":"assistant",)" + std::string(inside));
}

std::string text(std::string_view content) {
    return delta(R"("content":")" + std::string(content) + '"');
}

std::string first_text(std::string_view content) {
    return first(R"("content":")" + std::string(content) + '"');
}

std::string aside(std::string_view members) {
    return chunk(R"({"index":0,"delta":{},"finish_reason":null})", "," + std::string(members));
}

std::string agent_text(std::string_view content) {
    return aside(R"("type":"agent_text","content":")" + std::string(content) + '"');
}

std::string finish(std::string_view reason, std::string_view after = "") {
    return chunk(R"({"index":0,"delta":{},"finish_reason":")" + std::string(reason) + R"("})",
                 after);
}

std::string encoded(const std::vector<Event>& events, const Envelope& envelope = golden) {
    return testing::encoded(*dialect_named("agent"), envelope, events);
}

Envelope holding(Envelope::Hold hold) {
    Envelope envelope = golden;
    envelope.hold = hold;
    return envelope;
}

Event tool(ServerTool::State state, std::string_view result = "") {
    return ServerTool{state, "srv_1", "gas", R"({"chain": "base"})", result};
}

const Event created = tool(ServerTool::State::created);
const Event running = tool(ServerTool::State::running);

const std::string tool_start =
    aside(R"("type":"tool_start","tool":"gas","args":{"chain":"base"},"call_id":"srv_1")");

// Text of so many characters, some of which need more than one byte or an escape.
std::string long_text(std::size_t characters) {
    std::string escaped;
    for (std::size_t i = 0; i < characters; ++i)
        escaped += i % 3 == 0 ? "é" : i % 3 == 1 ? "\\n" : "x";
    return escaped;
}

TEST(AgentStream, ShowsARunOfAServersTool) {
    EXPECT_EQ(encoded({created, running, tool(ServerTool::State::completed, "{\"a\":\n[1, 2]}")}),
              tool_start + aside(R"("type":"tool_trace","tool":"gas","ok":true,)"
                                 R"("result":{"a":[1,2]},"call_id":"srv_1")"));
    EXPECT_EQ(encoded({created, running, tool(ServerTool::State::failed, R"("no node")")}),
              tool_start + aside(R"("type":"tool_trace","tool":"gas","ok":false,)"
                                 R"("error":"no node","call_id":"srv_1")"));
}

TEST(AgentStream, ShowsNothingOfAHiddenToolButWhatWasSaidBeforeIt) {
    Envelope envelope = golden;
    envelope.hidden_tools = {"gas"};
    EXPECT_EQ(
        encoded({Text{0, "let me look"}, created, running, tool(ServerTool::State::completed, "1"),
                 Text{0, "4"}, Finished{0, Finish::stop, ""}, Ended{}},
                envelope),
        agent_text("let me look") + first_text("4") + finish("stop") + done);
}

TEST(AgentStream, ShowsOnlyTheFramesOwnKeysInRaw) {
    EXPECT_EQ(testing::encoded(*dialect_named("agent-raw"), golden,
                               {Text{0, "hm"}, created, running,
                                tool(ServerTool::State::failed, R"("no")"), Text{0, "x"},
                                Finished{0, Finish::stop, ""}, Ended{}}),
              "data: {\"type\":\"agent_text\",\"content\":\"hm\"}\n\n"
              "data: {\"type\":\"tool_start\",\"tool\":\"gas\",\"args\":{\"chain\":\"base\"}}\n\n"
              "data: {\"type\":\"tool_trace\",\"tool\":\"gas\",\"ok\":false,\"error\":\"no\"}\n\n" +
                  first_text("x") + finish("stop") + done);
}

TEST(AgentStream, HoldsTextUntilItIsKnownWhatItIs) {
    EXPECT_EQ(encoded({Text{0, "let me "}, Text{0, "look"}}), "");
    EXPECT_EQ(encoded({Text{0, "let me "}, Text{0, "look"}, created}), agent_text("let me look"));
    EXPECT_EQ(
        encoded({Text{0, "let me "}, Text{0, "look"}, Finished{0, Finish::length, ""}, Ended{}}),
        first_text("let me ") + text("look") + finish("length") + done);
    EXPECT_EQ(encoded({Text{0, "a"}, ToolStarted{0, 0, "c", "f"}, ToolArguments{0, 0, "{}"}}),
              first_text("a") +
                  delta(R"("tool_calls":[{"index":0,"id":"c","type":"function",)"
                        R"("function":{"name":"f","arguments":""}}])") +
                  delta(R"("tool_calls":[{"index":0,"function":{"arguments":"{}"}}])"));
}

TEST(AgentStream, ShowsHeldTextWhenItsTimeIsOverAndStreamsOn) {
    EXPECT_EQ(encoded({Text{0, "a"}, HoldOver{}, Text{0, "b"}, HoldOver{}, created, running}),
              first_text("a") + text("b") + tool_start);
    EXPECT_EQ(encoded({HoldOver{}, Text{0, "a"}}), "") << "that was not this text's time";
}

TEST(AgentStream, TellsHeldTextAsSoonAsAToolIsCalled) {
    const HoldOver called{HoldOver::Why::tool_called};
    EXPECT_EQ(encoded({Text{0, "let me "}, Text{0, "look"}, called, HoldOver{}}),
              agent_text("let me look"));
    EXPECT_EQ(encoded({Text{0, "a"}, called, Text{0, "b"}, created, running}),
              agent_text("a") + agent_text("b") + tool_start);
}

TEST(AgentStream, ShowsHeldTextWhenItIsLong) {
    const std::string almost = long_text(limits::held_characters - 1);
    EXPECT_EQ(encoded({Text{0, almost}}), "");
    EXPECT_EQ(encoded({Text{0, almost}, Text{0, "\\u0007"}}), first_text(almost) + text("\\u0007"));
    EXPECT_EQ(encoded({Text{0, almost}, Text{0, "😀"}, Text{0, "b"}}),
              first_text(almost) + text("😀") + text("b"));
}

TEST(AgentStream, SaysWhetherItHoldsAnything) {
    std::string out;
    AgentStream encoder(golden, AgentStream::Frames::hybrid, &out);
    encoder.on(Reasoning{0, "hm"});
    EXPECT_FALSE(encoder.is_holding());
    encoder.on(Text{0, "a"});
    EXPECT_TRUE(encoder.is_holding());
    encoder.on(created);
    EXPECT_FALSE(encoder.is_holding());
    encoder.on(Text{0, "b"});
    encoder.on(HoldOver{});
    encoder.on(Text{0, "c"});
    EXPECT_FALSE(encoder.is_holding());
}

TEST(AgentStream, HoldsTheTextOfEachRoundAnew) {
    EXPECT_EQ(encoded({Text{0, "a"}, HoldOver{}, created, running,
                       tool(ServerTool::State::completed, "1"), Text{0, "b"}, created, Text{0, "c"},
                       Finished{0, Finish::stop, ""}, Ended{}}),
              first_text("a") + tool_start +
                  aside(R"("type":"tool_trace","tool":"gas","ok":true,"result":1,)"
                        R"("call_id":"srv_1")") +
                  agent_text("b") + text("c") + finish("stop") + done);
}

TEST(AgentStream, HoldsLongerWhatMayBeACall) {
    for (const std::string_view opening : {"{", "[", "<tool_call>", "<|", "```json", " \\n\\t{"}) {
        const std::string held(opening);
        EXPECT_EQ(encoded({Text{0, held}, HoldOver{}, Text{0, long_text(limits::held_characters)}}),
                  "")
            << opening;
        const std::string rest = long_text(limits::held_call_characters);
        EXPECT_EQ(encoded({Text{0, held}, HoldOver{}, Text{0, rest}}),
                  first_text(held) + text(rest))
            << opening;
    }
    for (const std::string_view opening : {"<3", "`a` ", "``a", "a {", " \\n-", "\\\""})
        EXPECT_EQ(encoded({Text{0, opening}, HoldOver{}}), first_text(opening)) << opening;
}

TEST(AgentStream, ReadsAnOpeningThatComesInPieces) {
    EXPECT_EQ(encoded({Text{0, "\\n"}, Text{0, "`"}, Text{0, "``js"}, HoldOver{}}), "");
    EXPECT_EQ(encoded({Text{0, "\\n"}, Text{0, "`"}, Text{0, "a`"}, HoldOver{}}),
              first_text("\\n") + text("`") + text("a`"));
    EXPECT_EQ(encoded({Text{0, "<"}, HoldOver{}}), "");
    EXPECT_EQ(encoded({Text{0, "<"}, HoldOver{}, Text{0, "3"}}), first_text("<") + text("3"));
}

TEST(AgentStream, HoldsWholeRoundsWhereAsked) {
    const Envelope envelope = holding(Envelope::Hold::round);
    const std::string long_one = long_text(10 * limits::held_characters);
    EXPECT_EQ(encoded({Text{0, long_one}, HoldOver{}}, envelope), "");
    EXPECT_EQ(encoded({Text{0, long_one}, HoldOver{}, created}, envelope), agent_text(long_one));
    EXPECT_FALSE(encoded({Text{0, long_text(limits::held_round_characters)}}, envelope).empty());
}

TEST(AgentStream, HoldsNothingWhereNoToolsAreThere) {
    EXPECT_EQ(encoded({Text{0, "a"}, Text{0, "{"}}, holding(Envelope::Hold::none)),
              first_text("a") + text("{"));
}

TEST(AgentStream, KeepsTheOrderOfWhatIsSaidAroundHeldText) {
    const std::string thought = R"("reasoning_content":"hm")";
    EXPECT_EQ(encoded({Reasoning{0, "hm"}}), first(thought)) << "reasoning need not wait";
    const std::vector<Event> said = {Reasoning{0, "hm"}, Text{0, "a"}, Reasoning{0, "hm"},
                                     Text{0, "b"}, Text{0, "c"}};
    std::vector<Event> events = said;
    events.push_back(HoldOver{});
    EXPECT_EQ(encoded(events), first(thought) + text("a") + delta(thought) + text("b") + text("c"));
    events = said;
    events.push_back(created);
    EXPECT_EQ(encoded(events),
              first(thought) + agent_text("a") + delta(thought) + agent_text("bc"));
}

TEST(AgentStream, KeepsLogprobsWithTheTextTheyBelongTo) {
    const auto with = [](std::string_view inside, std::string_view token) {
        return chunk(R"({"index":0,"delta":{)" + std::string(inside) +
                     R"(},"logprobs":{"content":[{"token":")" + std::string(token) +
                     R"(","logprob":-1,"bytes":null,"top_logprobs":[]}],"refusal":null},)"
                     R"("finish_reason":null})");
    };
    const std::vector<Event> said = {testing::logprob("1"), Text{0, "a"}, testing::logprob("2"),
                                     Text{0, "b"}};
    std::vector<Event> events = said;
    events.push_back(HoldOver{});
    EXPECT_EQ(encoded(events),
              with(R"("role":"assistant","content":"a")", "1") + with(R"("content":"b")", "2"));
    events = said;
    events.insert(events.end(), {created, Text{0, "c"}, HoldOver{}});
    EXPECT_EQ(encoded(events), agent_text("ab") + first_text("c"));
}

TEST(AgentStream, ShowsUsageOnTheFinishWhereAskedAndNoneElsewhere) {
    const std::vector<Event> events = {
        Text{0, "a"}, Finished{0, Finish::stop, ""},
        UsageReported{{.fresh_input = 5, .cache_read = 2, .output = 2}}, Ended{}};
    EXPECT_EQ(encoded(events), first_text("a") + finish("stop") + done);
    EXPECT_EQ(encoded(events, testing::golden_with_usage()),
              first_text("a") +
                  finish("stop",
                         R"(,"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9,)"
                         R"("prompt_tokens_details":{"cached_tokens":2}})") +
                  done);
}

TEST(AgentStream, ShowsHeldTextBeforeAFailure) {
    EXPECT_EQ(encoded({Text{0, "Hel"}, Failed{{ErrorKind::upstream_timeout, "too slow"}}, Ended{}},
                      testing::golden_with_usage()),
              first_text("Hel") +
                  "data: {\"error\":{\"message\":\"too slow\",\"type\":\"server_error\","
                  "\"code\":\"upstream_timeout\",\"param\":null}}\n\n" +
                  done);
}

TEST(AgentStream, PutsTheRoleOnTheFinishOfAnEmptyAnswer) {
    EXPECT_EQ(encoded({Started{}, Finished{0, Finish::stop, ""}, Ended{}}),
              chunk(R"({"index":0,"delta":{"role":"assistant","content":""},)"
                    R"("finish_reason":"stop"})") +
                  done);
}

TEST(AgentDialect, HasOnlyTheAnswerInAWholeAnswer) {
    const std::vector<Event> events = {
        Text{0, "let me look"},        created, running, Text{0, "4"},
        Finished{0, Finish::stop, ""}, Ended{}};
    const auto content = [&](const Dialect& dialect) {
        const std::string answer = testing::whole(dialect, golden, events);
        const std::size_t at = answer.find(R"("content":")") + 11;
        return answer.substr(at, answer.find('"', at) - at);
    };
    EXPECT_EQ(content(*dialect_named("agent")), "4");
    EXPECT_EQ(content(*dialect_named("agent-raw")), "4");
    EXPECT_EQ(content(*dialect_named("openai")), "let me look4");
}

TEST(AgentDialect, HasNullContentWhereOnlyCallsFollowTheToolsItRan) {
    const std::string answer =
        testing::whole(*dialect_named("agent"), golden,
                       {Text{0, "let me look"}, created, ToolStarted{0, 0, "c", "f"},
                        Finished{0, Finish::tool_calls, ""}, Ended{}});
    EXPECT_NE(answer.find(R"("content":null,"refusal":null)"), std::string::npos) << answer;
}

}  // namespace
}  // namespace runnel::api
