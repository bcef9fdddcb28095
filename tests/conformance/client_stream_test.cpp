#include "client_stream.hpp"

#include "transcoding.hpp"

// The reader that judges streams, judged: it must accept a right stream and see each way
// to be wrong.
namespace runnel::conformance {
namespace {

constexpr std::string_view head =
    R"({"id":"chatcmpl-T","object":"chat.completion.chunk","created":1700000000,"model":"m1","choices":[)";

std::string chunk(std::string_view delta, std::string_view finish = "null",
                  std::string_view tail = "") {
    return "data: " + std::string(head) + R"({"index":0,"delta":)" + std::string(delta) +
           R"(,"finish_reason":)" + std::string(finish) + "}]" + std::string(tail) + "}\n\n";
}

std::string call(std::string_view item) {
    return chunk(R"({"tool_calls":[)" + std::string(item) + "]}");
}

const std::string role = chunk(R"({"role":"assistant","content":""})");
const std::string call_role = chunk(R"({"role":"assistant","content":null})");
const std::string text = chunk(R"({"content":"x"})");
const std::string finish = chunk("{}", R"("stop")");
const std::string call_finish = chunk("{}", R"("tool_calls")");
const std::string error =
    "data: "
    "{\"error\":{\"message\":\"no\",\"type\":\"server_error\",\"code\":\"c\",\"param\":null}}\n\n";
const std::string done = "data: [DONE]\n\n";
const std::string first_call =
    call(R"({"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}})");
const std::string more_call = call(R"({"index":0,"function":{"arguments":"{}"}})");

std::string report(const std::string& bytes) { return read_client_stream(bytes, {}).report(); }

TEST(ClientStreamReader, AcceptsRightStreams) {
    EXPECT_TRUE(nothing_in(report(role + text + finish + done)));
    EXPECT_TRUE(nothing_in(report(role + finish + done)));
    EXPECT_TRUE(nothing_in(report(role + text + error + done)));
    EXPECT_TRUE(nothing_in(report(error + done)));
    EXPECT_TRUE(nothing_in(report(call_role + first_call + more_call + call_finish + done)));
    EXPECT_TRUE(nothing_in(report(role + text + first_call + more_call + call_finish + done)));
}

TEST(ClientStreamReader, SeesEveryBreachOfFraming) {
    for (const std::string& wrong :
         {std::string(), role + text + finish, role + text + finish + done + done,
          done + role + text + finish, role + text + finish + "data: [DONE]\n",
          role + text + finish + "data:[DONE]\n\n", ": ping\n\n" + role + text + finish + done,
          "event: x\n" + role + text + finish + done, "\xEF\xBB\xBF" + role + text + finish + done,
          role + "\n" + text + finish + done, role + chunk(R"({"content": "x"})") + finish + done,
          role + chunk("{\"content\":\"\xC3\"}") + finish + done,
          role + chunk(R"({"content":"\ud83d"})") + finish + done,
          role + "data: {}\n\n" + finish + done, role + "data: [1]\n\n" + finish + done,
          role + text + "\r\n" + finish + done})
        EXPECT_NE(report(wrong), "") << wrong;
}

TEST(ClientStreamReader, SeesEveryBreachOfOrder) {
    for (const std::string& wrong :
         {text + finish + done, role + role + text + finish + done,
          role + text + role + finish + done, role + text + done,
          role + text + finish + finish + done, role + finish + text + done,
          role + text + finish + error + done, role + error + text + done,
          role + error + finish + done, finish + done, done})
        EXPECT_NE(report(wrong), "") << wrong;
}

TEST(ClientStreamReader, SeesEveryBreachOfAChunksShape) {
    const auto swapped = [](std::string_view from, std::string_view to) {
        std::string stream = role + text + finish + done;
        return stream.replace(stream.find(from), from.size(), to);
    };
    for (const std::string& wrong :
         {swapped("chatcmpl-T", "chatcmpl-U"), swapped("1700000000", "1"),
          swapped("\"m1\"", "\"m2\""), swapped(".chunk", ""), swapped(R"("index":0,)", ""),
          swapped(R"(,"finish_reason":null)", ""),
          swapped(R"("id":"chatcmpl-T",)", R"("id":"chatcmpl-T","system_fingerprint":"f",)"),
          role + chunk(R"({"content":""})") + finish + done,
          role + chunk(R"({"content":null})") + finish + done,
          role + chunk(R"({"content":[]})") + finish + done, role + chunk("{}") + finish + done,
          role + chunk(R"({"content":"x","role":"assistant"})") + finish + done,
          role + chunk(R"({"reasoning":"x"})") + finish + done,
          role + chunk(R"({"content":"x"})", R"("stop")") + done,
          role + chunk("{}", R"("error")") + done, role + chunk("{}", R"("end_turn")") + done,
          role + chunk("{}", R"("stop")", R"(,"usage":null)") + done,
          role + chunk("{}", R"("stop")", R"(,"error":null)") + done,
          role + "data: {\"error\":{\"message\":\"no\"}}\n\n" + done})
        EXPECT_NE(report(wrong), "") << wrong;
}

TEST(ClientStreamReader, SeesEveryBreachOfAToolCallsShape) {
    for (
        const std::string& wrong :
        {role + first_call + more_call + call_finish + done,  // content must be null before a call
         call_role + text + finish + done,                    // and only there
         call_role + more_call + call_finish + done,          // never announced
         call_role + first_call + call_finish + done,         // never given arguments
         call_role + first_call + more_call + finish + done,  // stop after a call
         call_role + first_call + first_call + call_finish + done,  // announced twice
         call_role +
             call(
                 R"({"index":1,"id":"c","type":"function","function":{"name":"f","arguments":""}})") +
             done,
         call_role +
             call(
                 R"({"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}})") +
             call_finish + done,
         call_role +
             call(
                 R"({"index":0,"id":"","type":"function","function":{"name":"f","arguments":""}})") +
             more_call + call_finish + done,
         call_role + call(R"({"index":0,"id":"c","function":{"name":"f","arguments":""}})") +
             more_call + call_finish + done,
         call_role +
             call(R"({"id":"c","type":"function","function":{"name":"f","arguments":""}})") +
             call_finish + done,
         call_role + first_call + call(R"({"index":0,"function":{"arguments":""}})") + more_call +
             call_finish + done,
         call_role + first_call + call(R"({"index":0,"function":{"name":"f","arguments":"{}"}})") +
             call_finish + done})
        EXPECT_NE(report(wrong), "") << wrong;
}

TEST(ClientStreamReader, SeesEveryBreachOfUsage) {
    const ExpectedEnvelope asking{.include_usage = true};
    const auto with = [](std::string stream) {
        for (std::size_t at = 0; (at = stream.find("]}\n\n", at)) != std::string::npos; at += 4)
            stream.replace(at, 4, "],\"usage\":null}\n\n");
        return stream;
    };
    const auto usage_chunk = [](std::string_view usage) {
        return "data: " + std::string(head) + "],\"usage\":" + std::string(usage) + "}\n\n";
    };
    const std::string usage =
        usage_chunk(R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":9})");
    const std::string chunks = with(role + text + finish);
    EXPECT_TRUE(nothing_in(read_client_stream(chunks + usage + done, asking).report()));
    for (const std::string& wrong :
         {role + text + finish + usage + done, chunks + usage + usage + done,
          with(role + text) + usage + done, with(role) + usage + with(text + finish) + done,
          chunks + usage + error + done, chunks + usage_chunk("null") + done,
          chunks + usage_chunk(R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":10})") +
              done,
          chunks + usage_chunk(R"({"prompt_tokens":7,"total_tokens":9,"completion_tokens":2})") +
              done,
          chunks +
              usage_chunk(
                  R"({"prompt_tokens":7,"completion_tokens":2,"total_tokens":9,"cost":1})") +
              done,
          chunks + usage_chunk(R"({"prompt_tokens":-7,"completion_tokens":2,"total_tokens":-5})") +
              done})
        EXPECT_NE(read_client_stream(wrong, asking).report(), "") << wrong;
    EXPECT_NE(report(chunks + usage + done), "") << "nobody asked";
}

std::string with_changes(std::string stream, std::string_view from, std::string_view to) {
    const std::size_t at = stream.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return stream.replace(at, from.size(), to);
}

TEST(ClientStreamReader, SeesEveryBreachOfATimeline) {
    const ExpectedEnvelope expected{.dialect = "timeline"};
    const std::string right = golden_file("v05_server_tool/timeline.sse");
    EXPECT_TRUE(nothing_in(read_client_stream(right, expected).report()));
    const std::string failed = golden_file("v04_midstream_failure/timeline.sse");
    for (const std::string& wrong :
         {with_changes(right, R"("system_fingerprint":"fp_gw01",)", ""),
          with_changes(right, R"("role":"assistant",)", ""),
          with_changes(right, R"("logprobs":null,)", ""),
          with_changes(right, R"(,"usage":null)", ""), with_changes(right, "Created", "Running"),
          with_changes(right, "Completed", "Created"),
          with_changes(right, R"("id":"srv_1")", R"("id":"srv_2")"),
          with_changes(right, R"({\"chain)", "chain"),
          with_changes(right, R"("total_tokens":65)", R"("total_tokens":64)"),
          with_changes(failed, R"("content":"")", R"("content":null)"),
          with_changes(failed, R"("finish_reason":"error")", R"("finish_reason":"stop")"),
          with_changes(failed, R"("code":"server_error",)", ""),
          golden_file("v05_server_tool/openai.sse"), golden_file("v05_server_tool/agent.sse"),
          golden_file("v04_midstream_failure/openai.sse")})
        EXPECT_NE(read_client_stream(wrong, expected).report(), "") << wrong;
}

TEST(ClientStreamReader, SeesEveryBreachOfAnAgentsStream) {
    const ExpectedEnvelope expected{.dialect = "agent"};
    const std::string right = golden_file("v05_server_tool/agent.sse");
    EXPECT_TRUE(nothing_in(read_client_stream(right, expected).report()));
    const std::string with_usage = golden_file("v11_usage/agent.sse");
    for (const std::string& wrong :
         {with_changes(right, R"({"index":0,"delta":{},"finish_reason":null})", ""),
          with_changes(right, R"("delta":{},)", R"("delta":{"content":"x"},)"),
          with_changes(right, R"(,"call_id":"srv_1")", ""),
          with_changes(right, "tool_trace", "tool_start"),
          with_changes(right, R"("ok":true)", R"("ok":false)"),
          with_changes(right, R"("content":"let me look")", R"("content":"")"),
          with_changes(right, R"("role":"assistant",)", ""), with_usage,
          golden_file("v05_server_tool/openai.sse"), golden_file("v05_server_tool/agent-raw.sse")})
        EXPECT_NE(read_client_stream(wrong, expected).report(), "") << wrong;
}

}  // namespace
}  // namespace runnel::conformance
