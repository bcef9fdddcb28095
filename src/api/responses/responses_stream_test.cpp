#include "api/responses/responses_stream.hpp"

#include "api/registry.hpp"
#include "api/responses/request.hpp"
#include "api/responses/response_object.hpp"
#include "json/parser.hpp"
#include "support/random_timeline.hpp"
#include "timeline/answer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::api::responses {
namespace {

using timeline::Event;
using timeline::Finish;

const Envelope bare{.id = "resp_T", .created = 1700000000, .model = "m1"};

std::string streamed(const std::vector<Event>& events, const Envelope& envelope = bare) {
    std::string out;
    const auto encoder = responses_api().dialects().front()->make_encoder(envelope, &out);
    for (const Event& event : events) encoder->on(event);
    return out;
}

std::string whole(const std::vector<Event>& events, const Envelope& envelope = bare) {
    timeline::Fold fold;
    for (const Event& event : events) fold.on(event);
    return responses_api().dialects().front()->write_answer(envelope, fold.answer());
}

// What a response says of a request that nobody knows.
constexpr std::string_view begin =
    R"({"id":"resp_T","object":"response","created_at":1700000000,"model":"m1","instructions":null,"previous_response_id":null,"max_output_tokens":null,"max_tool_calls":null,"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"text":{"format":{"type":"text"}},"reasoning":{"effort":null,"summary":null},"temperature":1.0,"top_p":1.0,"presence_penalty":0.0,"frequency_penalty":0.0,"top_logprobs":0,"truncation":"disabled","service_tier":"default","store":false,"background":false,"prompt_cache_key":null,"safety_identifier":null,"user":null,"metadata":{})";
constexpr std::string_view begun =
    R"(,"status":"in_progress","completed_at":null,"error":null,"incomplete_details":null,"output":[],"usage":null})";

// Each $BEGIN and $BEGUN written out.
std::string written_out(std::string_view text) {
    std::string out(text);
    const auto replace = [&](std::string_view name, std::string_view by) {
        for (auto at = out.find(name); at != std::string::npos; at = out.find(name, at + by.size()))
            out.replace(at, name.size(), by);
    };
    replace("$BEGIN", begin);
    replace("$BEGUN", begun);
    return out;
}

const std::vector<Event> answer{
    timeline::Started{},
    timeline::Reasoning{0, "h"},
    timeline::Reasoning{0, "m"},
    timeline::ReasoningSigned{0, "S", "anthropic/claude"},
    timeline::Text{0, "a"},
    timeline::Text{0, R"(\"b\")"},
    timeline::Citation{.choice = 0, .url = "https://x", .title = "X", .text_end = 3},
    timeline::ToolStarted{0, 0, "c1", "f"},
    timeline::ToolArguments{0, 0, R"({\"x\":)"},
    timeline::ToolStarted{0, 1, "c2", "g"},
    timeline::ToolArguments{0, 1, "{"},
    timeline::ToolArguments{0, 0, "1}"},
    timeline::ToolEnded{0, 0},
    timeline::ToolArguments{0, 1, "}"},
    timeline::ToolEnded{0, 1},
    timeline::UsageReported{{.fresh_input = 5, .cache_read = 2, .output = 7, .reasoning = 1}},
    timeline::Finished{0, Finish::tool_calls, "tool_use"},
    timeline::Ended{},
};

constexpr std::string_view answer_end =
    R"(,"status":"completed","completed_at":null,"error":null,"incomplete_details":null,"output":[{"id":"rs_T_0","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"runnel:16:anthropic/claude:signature:S"},{"id":"msg_T_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a\"b\"","annotations":[{"type":"url_citation","start_index":0,"end_index":3,"url":"https://x","title":"X"}],"logprobs":[]}]},{"id":"fc_T_2","type":"function_call","status":"completed","call_id":"c1","name":"f","arguments":"{\"x\":1}"},{"id":"fc_T_3","type":"function_call","status":"completed","call_id":"c2","name":"g","arguments":"{}"}],"usage":{"input_tokens":7,"input_tokens_details":{"cached_tokens":2,"cache_write_tokens":0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":1},"total_tokens":14}})";

// Whatever is told, and whenever: the numbers are dense from the first frame on.
TEST(ResponsesStream, GoesOnFromWhatBeganInTheBackground) {
    json::Parser parser;
    const auto request = responses_api().read_request(
        {.body = R"({"model":"m","input":"Hi","background":true})"}, &parser);
    ASSERT_TRUE(request);
    Envelope envelope = bare;
    envelope.request = &*request;
    std::string out = queued_stream(envelope);
    const auto encoder = responses_api().dialects().front()->make_encoder(envelope, &out);
    for (const Event& event : answer) encoder->on(event);
    EXPECT_TRUE(out.starts_with("event: response.created\ndata: "));
    int frames = 0;
    for (std::size_t at = 0; (at = out.find(R"(,"sequence_number":)", at)) != std::string::npos;
         ++at)
        EXPECT_TRUE(out.substr(at).starts_with(fmt::format(R"(,"sequence_number":{},)", frames++)));
    EXPECT_EQ(out.find("event: response.created", 1), std::string::npos);
    EXPECT_NE(out.find("event: response.queued\n"), std::string::npos);
    EXPECT_NE(out.find("event: response.in_progress\n"), std::string::npos);
    const std::string queued = queued_response(envelope);
    EXPECT_NE(queued.find(R"("background":true)"), std::string::npos);
    EXPECT_NE(queued.find(R"("status":"queued")"), std::string::npos);
    EXPECT_NE(cancelled_response(queued).find(R"("status":"cancelled")"), std::string::npos);
    EXPECT_NE(begun_response(queued).find(R"("status":"in_progress")"), std::string::npos);
    const std::string failed = failed_response(queued, {ErrorKind::internal_error, "why"});
    EXPECT_NE(failed.find(R"("error":{"code":"server_error","message":"why"})"), std::string::npos);
}

TEST(ResponsesStream, IsWhatOpenAisClientsExpect) {
    EXPECT_EQ(streamed(answer), written_out(R"(event: response.created
data: {"type":"response.created","sequence_number":0,"response":$BEGIN$BEGUN}

event: response.in_progress
data: {"type":"response.in_progress","sequence_number":1,"response":$BEGIN$BEGUN}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"rs_T_0","type":"reasoning","summary":[]}}

event: response.reasoning_summary_part.added
data: {"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs_T_0","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_T_0","output_index":0,"summary_index":0,"delta":"h"}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","sequence_number":5,"item_id":"rs_T_0","output_index":0,"summary_index":0,"delta":"m"}

event: response.reasoning_summary_text.done
data: {"type":"response.reasoning_summary_text.done","sequence_number":6,"item_id":"rs_T_0","output_index":0,"summary_index":0,"text":"hm"}

event: response.reasoning_summary_part.done
data: {"type":"response.reasoning_summary_part.done","sequence_number":7,"item_id":"rs_T_0","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"hm"}}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":8,"output_index":0,"item":{"id":"rs_T_0","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"runnel:16:anthropic/claude:signature:S"}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":9,"output_index":1,"item":{"id":"msg_T_1","type":"message","status":"in_progress","role":"assistant","content":[]}}

event: response.content_part.added
data: {"type":"response.content_part.added","sequence_number":10,"item_id":"msg_T_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":11,"item_id":"msg_T_1","output_index":1,"content_index":0,"delta":"a","logprobs":[]}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":12,"item_id":"msg_T_1","output_index":1,"content_index":0,"delta":"\"b\"","logprobs":[]}

event: response.output_text.annotation.added
data: {"type":"response.output_text.annotation.added","sequence_number":13,"item_id":"msg_T_1","output_index":1,"content_index":0,"annotation_index":0,"annotation":{"type":"url_citation","start_index":0,"end_index":3,"url":"https://x","title":"X"}}

event: response.output_text.done
data: {"type":"response.output_text.done","sequence_number":14,"item_id":"msg_T_1","output_index":1,"content_index":0,"text":"a\"b\"","logprobs":[]}

event: response.content_part.done
data: {"type":"response.content_part.done","sequence_number":15,"item_id":"msg_T_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"a\"b\"","annotations":[{"type":"url_citation","start_index":0,"end_index":3,"url":"https://x","title":"X"}],"logprobs":[]}}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":16,"output_index":1,"item":{"id":"msg_T_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a\"b\"","annotations":[{"type":"url_citation","start_index":0,"end_index":3,"url":"https://x","title":"X"}],"logprobs":[]}]}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":17,"output_index":2,"item":{"id":"fc_T_2","type":"function_call","status":"in_progress","call_id":"c1","name":"f","arguments":""}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","sequence_number":18,"item_id":"fc_T_2","output_index":2,"delta":"{\"x\":"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","sequence_number":19,"item_id":"fc_T_2","output_index":2,"delta":"1}"}

event: response.function_call_arguments.done
data: {"type":"response.function_call_arguments.done","sequence_number":20,"item_id":"fc_T_2","output_index":2,"arguments":"{\"x\":1}","name":"f"}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":21,"output_index":2,"item":{"id":"fc_T_2","type":"function_call","status":"completed","call_id":"c1","name":"f","arguments":"{\"x\":1}"}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":22,"output_index":3,"item":{"id":"fc_T_3","type":"function_call","status":"in_progress","call_id":"c2","name":"g","arguments":""}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","sequence_number":23,"item_id":"fc_T_3","output_index":3,"delta":"{"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","sequence_number":24,"item_id":"fc_T_3","output_index":3,"delta":"}"}

event: response.function_call_arguments.done
data: {"type":"response.function_call_arguments.done","sequence_number":25,"item_id":"fc_T_3","output_index":3,"arguments":"{}","name":"g"}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":26,"output_index":3,"item":{"id":"fc_T_3","type":"function_call","status":"completed","call_id":"c2","name":"g","arguments":"{}"}}

event: response.completed
data: {"type":"response.completed","sequence_number":27,"response":$BEGIN)") +
                                    std::string(answer_end) + "}\n\ndata: [DONE]\n\n");
}

TEST(ResponsesAnswer, HasTheSameItems) {
    EXPECT_EQ(whole(answer), std::string(begin).append(answer_end));
}

TEST(ResponsesStream, HasADocumentThatIsCitedForAFile) {
    using Kind = timeline::Citation::Kind;
    const std::vector<Event> events{
        timeline::Text{0, "a"},
        timeline::Citation{.choice = 0, .kind = Kind::pages, .title = "Report", .document = 0},
        timeline::Citation{.choice = 0, .kind = Kind::search_result, .url = "kb/7"},
        timeline::Citation{.choice = 0, .title = "nobody knows where"},
        timeline::Finished{0, Finish::stop, ""},
        timeline::Ended{}};
    for (const std::string& out : {streamed(events), whole(events)})
        EXPECT_TRUE(out.contains(
            R"("annotations":[{"type":"file_citation","file_id":"","filename":"Report","index":0},)"
            R"({"type":"file_citation","file_id":"kb/7","filename":"","index":0}])"))
            << out;
}

TEST(ResponsesStream, RefusesInAPartOfItsOwn) {
    const std::string out =
        streamed({timeline::Refusal{0, "no"}, timeline::Finished{0, Finish::stop, "stop"},
                  timeline::Ended{}});
    EXPECT_TRUE(out.contains(R"("content_index":0,"part":{"type":"refusal","refusal":""}})"));
    EXPECT_TRUE(out.contains("event: response.refusal.delta\n"));
    EXPECT_TRUE(out.contains(
        R"("type":"response.refusal.done","sequence_number":5,"item_id":"msg_T_0","output_index":0,"content_index":0,"refusal":"no"})"));
    EXPECT_TRUE(out.contains(R"("content":[{"type":"refusal","refusal":"no"}])"));
}

TEST(ResponsesStream, SaysWhyAnAnswerIsIncomplete) {
    const std::vector<Event> cut{
        timeline::Text{0, "a"}, timeline::Finished{0, Finish::length, "length"}, timeline::Ended{}};
    for (const std::string& out : {streamed(cut), whole(cut)}) {
        EXPECT_TRUE(out.contains(R"("id":"msg_T_0","type":"message","status":"incomplete")"));
        EXPECT_TRUE(out.contains(R"("incomplete_details":{"reason":"max_output_tokens"})")) << out;
    }
    EXPECT_TRUE(streamed(cut).contains("event: response.incomplete\n"));
    EXPECT_FALSE(streamed(cut).contains("response.completed"));
    EXPECT_TRUE(whole({timeline::Finished{0, Finish::content_filter, "x"}, timeline::Ended{}})
                    .contains(R"("reason":"content_filter")"));
}

TEST(ResponsesStream, FailsWithTheResponseAndNothingAfterIt) {
    EXPECT_EQ(streamed({timeline::Failed{{ErrorKind::upstream_timeout, "late \"x\""}},
                        timeline::Ended{}}),
              written_out(R"(event: response.created
data: {"type":"response.created","sequence_number":0,"response":$BEGIN$BEGUN}

event: response.in_progress
data: {"type":"response.in_progress","sequence_number":1,"response":$BEGIN$BEGUN}

event: response.failed
data: {"type":"response.failed","sequence_number":2,"response":$BEGIN,"status":"failed","completed_at":null,"error":{"code":"server_error","message":"late \"x\""},"incomplete_details":null,"output":[],"usage":null}}

data: [DONE]

)"));
}

TEST(ResponsesStream, NamesErrorsSoThatClientsKnowWhetherToTryAgain) {
    const auto error_of = [](const Error& error) {
        const std::string out = streamed({timeline::Failed{error}, timeline::Ended{}});
        const std::size_t at = out.rfind(R"("error":{)");
        return out.substr(at, out.find('}', at) - at + 1);
    };
    EXPECT_EQ(error_of({ErrorKind::guardrail_blocked, "no"}),
              R"("error":{"code":"invalid_prompt","message":"no"})");
    EXPECT_EQ(error_of({ErrorKind::context_length_exceeded, "long"}),
              R"("error":{"code":"context_length_exceeded","message":"long"})");
    EXPECT_EQ(error_of({ErrorKind::upstream_quota, "poor"}),
              R"("error":{"code":"insufficient_quota","message":"poor"})");
    EXPECT_EQ(error_of({ErrorKind::overloaded, "busy"}),
              R"("error":{"code":"server_is_overloaded","message":"busy"})");
    Error slow{ErrorKind::rate_limit_exceeded, "Slow down."};
    slow.retry_after = std::chrono::milliseconds(1500);
    EXPECT_EQ(
        error_of(slow),
        R"("error":{"code":"rate_limit_exceeded","message":"Slow down. Please try again in 1500ms."})");
}

TEST(ResponsesStream, KeepsOpenAisOwnReasoningAsItIs) {
    const std::vector<Event> thought{timeline::ReasoningEncrypted{0, "E", "openai/gpt-5", "rs_up"},
                                     timeline::Finished{0, Finish::stop, "stop"},
                                     timeline::Ended{}};
    for (const std::string& out : {streamed(thought), whole(thought)})
        EXPECT_TRUE(out.contains(
            R"({"id":"rs_up","type":"reasoning","summary":[],"encrypted_content":"E"})"))
            << out;
    EXPECT_TRUE(streamed(thought).starts_with("event: response.created\n"));
}

TEST(ResponsesStream, TellsLogprobsWithTheirText) {
    const std::array<timeline::TokenLogprob, 1> others{{{"b", "-2"}}};
    const std::array<timeline::TokenLogprob, 1> tokens{{{"a", "-0.5", "[ 97 ]", others}}};
    const std::vector<Event> said{timeline::Logprobs{0, timeline::Logprobs::Of::text, tokens},
                                  timeline::Text{0, "a"}, timeline::Text{0, "c"},
                                  timeline::Finished{0, Finish::stop, "stop"}, timeline::Ended{}};
    const std::string_view logprobs =
        R"("logprobs":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[{"token":"b","logprob":-2,"bytes":[]}]}])";
    const std::string out = streamed(said);
    EXPECT_TRUE(out.contains(std::string(R"("delta":"a",)").append(logprobs))) << out;
    EXPECT_TRUE(out.contains(R"("delta":"c","logprobs":[])"));
    EXPECT_TRUE(out.contains(std::string(R"("text":"ac",)").append(logprobs)));
    EXPECT_TRUE(whole(said).contains(logprobs));
}

TEST(ResponsesStream, KeepsTheGatewaysOwnToolsToItself) {
    const std::string out = streamed(
        {timeline::Text{0, "a"},
         timeline::ServerTool{timeline::ServerTool::State::completed, "srv_1", "now", "{}", "1"},
         timeline::Finished{0, Finish::stop, "stop"}, timeline::Ended{}});
    EXPECT_FALSE(out.contains("now"));
}

TEST(ResponsesStream, NumbersItsFramesAndWritesJsonWhateverIsTold) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        const auto made = runnel::testing::RandomTimeline(seed).make();
        std::string out;
        made.replay(responses_api().dialects().front()->make_encoder(bare, &out).get());
        int number = 0;
        for (std::string_view rest = out; !rest.empty();) {
            const std::size_t end = rest.find("\n\n");
            ASSERT_NE(end, std::string_view::npos);
            const std::string_view frame = rest.substr(0, end);
            rest.remove_prefix(end + 2);
            if (rest.empty() && frame == "data: [DONE]") break;
            const std::string_view type = frame.substr(7, frame.find('\n') - 7);
            const std::string_view data = frame.substr(7 + type.size() + 7);
            EXPECT_TRUE(data.starts_with(
                fmt::format(R"({{"type":"{}","sequence_number":{},)", type, number++)))
                << frame;
            EXPECT_TRUE(json::is_whole(data)) << data;
        }
        timeline::Fold fold;
        made.replay(&fold);
        EXPECT_TRUE(
            json::is_whole(responses_api().dialects().front()->write_answer(bare, fold.answer())));
    }
}

class ResponsesToARequest : public ::testing::Test {
protected:
    static Envelope envelope_of(const chat::Request& request) {
        Envelope envelope = bare;
        envelope.request = &request;
        return envelope;
    }

    static chat::Request read(std::string body) {
        json::Parser parser;
        auto request = read_request(std::move(body), &parser);
        EXPECT_TRUE(request) << request.error().message;
        return request ? std::move(*request) : chat::Request();
    }
};

TEST_F(ResponsesToARequest, NameToolsAsTheClientDid) {
    const chat::Request request =
        read(R"({"model":"m","input":"x","tools":[{"type":"custom","name":"sh"},)"
             R"({"type":"namespace","name":"g","tools":[{"type":"function","name":"f"}]}]})");
    const std::vector<Event> called{timeline::ToolStarted{0, 0, "c1", "sh"},
                                    timeline::ToolArguments{0, 0, R"({\"input\":)"},
                                    timeline::ToolArguments{0, 0, R"(\"ls\\n\"})"},
                                    timeline::ToolEnded{0, 0},
                                    timeline::ToolStarted{0, 1, "c2", "g__f"},
                                    timeline::ToolEnded{0, 1},
                                    timeline::Finished{0, Finish::tool_calls, "tool_calls"},
                                    timeline::Ended{}};
    const std::string out = streamed(called, envelope_of(request));
    EXPECT_TRUE(out.contains(
        R"("type":"response.custom_tool_call_input.delta","sequence_number":3,"item_id":"ctc_T_0","output_index":0,"delta":"ls\n"})"))
        << out;
    EXPECT_TRUE(out.contains(R"("output_index":1,"delta":"{}"})"));
    const std::string_view items =
        R"("output":[{"id":"ctc_T_0","type":"custom_tool_call","status":"completed","call_id":"c1","name":"sh","input":"ls\n"},{"id":"fc_T_1","type":"function_call","status":"completed","call_id":"c2","name":"f","namespace":"g","arguments":"{}"}])";
    EXPECT_TRUE(out.contains(items));
    EXPECT_TRUE(whole(called, envelope_of(request)).contains(items));
}

TEST_F(ResponsesToARequest, TellItBackOnOneLine) {
    const chat::Request request = read(
        R"({"model":"m","instructions":"Be brief.","input":[{"role":"user","content":"x"}],
            "max_output_tokens":9,"max_tool_calls":3,"parallel_tool_calls":false,"temperature":0.5,
            "tools":[{"type":"function","name":"f","description":"d","parameters":{"type": "object"},
            "strict":true},{"type":"namespace","name":"g","description":"all","tools":[
            {"type":"function","name":"a"},{"type":"custom","name":"b"}]},{"type": "web_search"}],
            "tool_choice":{"type": "function", "name": "f"},"truncation":"auto",
            "text":{"format":{"type":"json_schema","name":"n","schema":{"a": 1}},"verbosity":"low"},
            "reasoning":{"effort":"low","summary":"auto"},"metadata":{"k": "v"},"user":"u",
            "prompt_cache_key":"p","service_tier":"flex","safety_identifier":"s","store":true})");
    const std::string out = whole({timeline::Ended{}}, envelope_of(request));
    EXPECT_EQ(
        out,
        R"({"id":"resp_T","object":"response","created_at":1700000000,"model":"m1","instructions":"Be brief.","previous_response_id":null,"max_output_tokens":9,"max_tool_calls":3,"parallel_tool_calls":false,"tool_choice":{"type":"function","name":"f"},"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true},{"type":"namespace","name":"g","description":"all","tools":[{"type":"function","name":"a","description":null,"parameters":null,"strict":null},{"type":"custom","name":"b","description":null,"format":{"type":"text"}}]},{"type":"web_search"}],"text":{"format":{"type":"json_schema","name":"n","description":null,"schema":{"a":1},"strict":false},"verbosity":"low"},"reasoning":{"effort":"low","summary":"auto"},"temperature":0.5,"top_p":1.0,"presence_penalty":0.0,"frequency_penalty":0.0,"top_logprobs":0,"truncation":"auto","service_tier":"flex","store":true,"background":false,"prompt_cache_key":"p","safety_identifier":"s","user":"u","metadata":{"k":"v"},"status":"completed","completed_at":null,"error":null,"incomplete_details":null,"output":[],"usage":{"input_tokens":0,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":0,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":0}})");
}

TEST(ResponsesApi, TellsErrorsInOpenAisWords) {
    EXPECT_EQ(
        responses_api().error_body({ErrorKind::unsupported_parameter, "no \"x\"", "conversation"}),
        R"({"error":{"message":"no \"x\"","type":"invalid_request_error","param":"conversation","code":"unsupported_parameter"}})");
}

}  // namespace
}  // namespace runnel::api::responses
