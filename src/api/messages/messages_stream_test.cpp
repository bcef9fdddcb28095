#include "api/messages/messages_answer.hpp"
#include "api/registry.hpp"
#include "timeline/answer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::api::messages {
namespace {

using timeline::Event;

const Envelope envelope{.id = "msg_T", .created = 1700000000, .model = "m1"};

std::string streamed(const std::vector<Event>& events) {
    std::string out;
    const auto encoder = messages_api().dialects().front()->make_encoder(envelope, &out);
    for (const Event& event : events) encoder->on(event);
    return out;
}

std::string whole(const std::vector<Event>& events) {
    timeline::Fold fold;
    for (const Event& event : events) fold.on(event);
    return messages_api().dialects().front()->write_answer(envelope, fold.answer());
}

const timeline::Usage usage{.fresh_input = 5, .cache_read = 2, .output = 7};

const std::vector<Event> answer{
    timeline::Started{},
    timeline::Reasoning{0, "hm"},
    timeline::ReasoningSigned{0, "S", "anthropic/claude"},
    timeline::ItemEnded{0},
    timeline::Text{0, "a"},
    timeline::Text{0, "b"},
    timeline::ToolStarted{0, 0, "c1", "f"},
    timeline::ToolArguments{0, 0, R"({\"x\":1})"},
    timeline::ToolEnded{0, 0},
    timeline::UsageReported{usage},
    timeline::Finished{0, timeline::Finish::tool_calls, "tool_use"},
    timeline::Ended{},
};

TEST(MessagesStream, IsWhatAnthropicsClientsExpect) {
    EXPECT_EQ(streamed(answer),
              R"(event: message_start
data: {"type":"message_start","message":{"id":"msg_T","type":"message","role":"assistant","model":"m1","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"b"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c1","name":"f","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":2,"output_tokens":7}}

event: message_stop
data: {"type":"message_stop"}

)");
}

TEST(MessagesStream, ShowsAFailureAndNothingAfterIt) {
    EXPECT_EQ(streamed({timeline::Failed{{ErrorKind::upstream_overloaded, "busy \"x\""}},
                        timeline::Ended{}}),
              "event: error\ndata: "
              R"({"type":"error","error":{"type":"overloaded_error","message":"busy \"x\""}})"
              "\n\n");
}

TEST(MessagesStream, KeepsTheGatewaysOwnToolsToItself) {
    const std::string out = streamed(
        {timeline::Text{0, "a"},
         timeline::ServerTool{timeline::ServerTool::State::completed, "srv_1", "now", "{}", "1"},
         timeline::Text{0, "b"}, timeline::Finished{0, timeline::Finish::stop, "stop", "END"},
         timeline::Ended{}});
    EXPECT_FALSE(out.contains("now"));
    EXPECT_TRUE(out.contains(R"("stop_reason":"stop_sequence","stop_sequence":"END")"));
}

TEST(MessagesStream, NamesTheIssuerOfForeignSignatures) {
    const std::string out =
        streamed({timeline::ReasoningSigned{0, "G", "gemini/x"},
                  timeline::ReasoningEncrypted{0, "E", "openai/y"},
                  timeline::Finished{0, timeline::Finish::stop, "stop"}, timeline::Ended{}});
    EXPECT_TRUE(out.starts_with("event: message_start")) << out;
    EXPECT_TRUE(out.contains(R"("signature":"runnel:8:gemini/x:G")")) << out;
    EXPECT_TRUE(out.contains(R"({"type":"redacted_thinking","data":"runnel:8:openai/y:E"})"));
}

TEST(MessagesStream, TellsTheFirstOfSeveralAnswers) {
    const auto answer_of = [](timeline::Choice choice, timeline::Finish finish) {
        return std::vector<Event>{
            timeline::Text{choice, "a"}, timeline::ToolStarted{choice, 0, "call_1", "f"},
            timeline::ToolEnded{choice, 0}, timeline::Finished{choice, finish, ""}};
    };
    std::vector<Event> first = answer_of(0, timeline::Finish::tool_calls);
    std::vector<Event> both = first;
    for (const Event& event : answer_of(1, timeline::Finish::length)) both.push_back(event);
    first.push_back(timeline::Ended{});
    both.push_back(timeline::Ended{});
    EXPECT_EQ(streamed(both), streamed(first));
}

TEST(MessagesAnswer, HasTheSameBlocks) {
    EXPECT_EQ(
        whole(answer),
        R"({"id":"msg_T","type":"message","role":"assistant","model":"m1","content":[{"type":"thinking","thinking":"hm","signature":"S"},{"type":"text","text":"ab"},{"type":"tool_use","id":"c1","name":"f","input":{"x":1}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":2,"output_tokens":7}})");
}

TEST(MessagesAnswer, ListsItsSources) {
    const timeline::Citation page{.choice = 0, .url = "https://a", .title = "A"};
    EXPECT_TRUE(whole({timeline::Text{0, "a"}, page, page,
                       timeline::Finished{0, timeline::Finish::stop, "stop"}, timeline::Ended{}})
                    .contains(R"("encrypted_index":""},{"type":"web_search_result_location")"));
}

TEST(MessagesAnswer, TellsAnErrorInAnthropicsWords) {
    EXPECT_EQ(messages_api().error_body({ErrorKind::model_not_found, "no model x", "model"}),
              R"({"type":"error","error":{"type":"not_found_error","message":"no model x"}})");
    EXPECT_TRUE(messages_api()
                    .error_body({ErrorKind::rate_limit_exceeded, "slow down"})
                    .contains("rate_limit_error"));
}

using What = timeline::Native::What;

Event native(What what, std::string_view raw, std::string_view api = "messages") {
    return timeline::Native{0, what, {api, raw}};
}

// What Anthropic says of its own, around a text.
std::vector<Event> with_natives(std::string_view api) {
    return {
        timeline::Started{},
        timeline::UsageReported{usage},
        native(What::usage, R"({"input_tokens":1,"service_tier":"standard"})", api),
        native(What::answer, R"({"container":null})", api),
        native(What::item, R"({"type":"server_tool_use","id":"s1","input":{}})", api),
        native(What::addition, R"({"type":"input_json_delta","partial_json":"{}"})", api),
        timeline::ItemEnded{0},
        native(What::event, R"({"type":"news","x":1})", api),
        native(What::item_fields, R"({"citations":[]})", api),
        timeline::Text{0, "a"},
        timeline::ItemEnded{0},
        native(What::finish, R"({"stop_details":null})", api),
        timeline::UsageReported{usage},
        native(What::usage, R"({"output_tokens":9})", api),
        timeline::Finished{0, timeline::Finish::length, "compaction"},
        timeline::Ended{},
    };
}

TEST(MessagesStream, TellsWhatOnlyAnthropicHasWordsFor) {
    EXPECT_EQ(streamed(with_natives("messages")), R"(event: message_start
data: {"type":"message_start","message":{"id":"msg_T","type":"message","role":"assistant","model":"m1","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"service_tier":"standard"},"container":null}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s1","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: news
data: {"type":"news","x":1}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":"","citations":[]}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"compaction","stop_sequence":null,"stop_details":null},"usage":{"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

)");
    EXPECT_EQ(whole(with_natives("messages")),
              R"({"id":"msg_T","type":"message","role":"assistant","model":"m1","content":[)"
              R"({"type":"server_tool_use","id":"s1","input":{}},)"
              R"({"type":"text","text":"a","citations":[]}],"stop_reason":"compaction",)"
              R"("stop_sequence":null,"usage":{"output_tokens":9},"container":null,)"
              R"("stop_details":null})");
}

TEST(MessagesStream, LeavesOutTheWordsOfOtherApis) {
    EXPECT_FALSE(streamed(with_natives("gemini")).contains("server_tool_use"));
    EXPECT_FALSE(streamed(with_natives("gemini")).contains("service_tier"));
    EXPECT_FALSE(whole(with_natives("gemini")).contains("stop_details"));
}

TEST(MessagesErrors, AreAnthropicsOwnWhereItSaidThem) {
    Error error{ErrorKind::upstream_rejected, "Anthropic rejected the request"};
    EXPECT_EQ(error_status(error), 400);
    error.native = std::make_shared<const NativeError>(
        NativeError{"messages", 422, "some_error", "prompt is too long"});
    EXPECT_EQ(error_status(error), 422);
    EXPECT_EQ(error_body(error),
              R"({"type":"error","error":{"type":"some_error","message":"prompt is too long"}})");
    error.native =
        std::make_shared<const NativeError>(NativeError{"gemini", 422, "INVALID_ARGUMENT", "no"});
    EXPECT_EQ(error_status(error), 400);
    EXPECT_TRUE(error_body(error).contains("Anthropic rejected the request"));
    EXPECT_EQ(error_status({ErrorKind::upstream_overloaded, "x"}), 529);
}

}  // namespace
}  // namespace runnel::api::messages
