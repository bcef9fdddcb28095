#include "telemetry/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::telemetry {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

RequestRecord served() {
    RequestRecord record;
    record.request_id = "req_1";
    record.completion_id = "chatcmpl-1";
    record.method = "POST";
    record.path = "/v1/chat/completions";
    record.model_asked = "fast";
    record.model_served = "openai/gpt-5-mini";
    record.provider = "openai";
    record.dialect = "openai";
    record.stream = true;
    record.status = 200;
    record.finish = "stop";
    record.usage = timeline::Usage{.fresh_input = 10, .cache_read = 5, .output = 7};
    record.first_event = 1500us;
    record.total = 20ms;
    record.bytes_out = 4096;
    return record;
}

std::string line_of(const RequestRecord& record, log::Format format = log::Format::json) {
    log::Line line(log::Level::info, "request", format, {});
    return describe(record, line).text();
}

std::string logged(const RequestRecord& record) {
    log::set_up(log::Format::text, log::Level::info);
    testing::internal::CaptureStderr();
    log_request(record);
    log::flush();
    log::set_up(log::format_for_stderr(), log::Level::info);
    return testing::internal::GetCapturedStderr();
}

TEST(RequestLog, TellsARequestInOneLine) {
    EXPECT_EQ(
        line_of(served()),
        R"({"time":"1970-01-01T00:00:00.000Z","level":"info","event":"request",)"
        R"("request_id":"req_1","completion_id":"chatcmpl-1","method":"POST",)"
        R"("path":"/v1/chat/completions","status":200,"model":"fast",)"
        R"("served":"openai/gpt-5-mini","provider":"openai","dialect":"openai","stream":true,)"
        R"("finish":"stop","input_tokens":15,"output_tokens":7,"cache_read_tokens":5,)"
        R"("first_ms":1.500,"total_ms":20.000,"bytes":4096})");
}

TEST(RequestLog, TellsWhoseKeyItWas) {
    RequestRecord record = served();
    EXPECT_THAT(line_of(record), Not(HasSubstr("\"key\"")));
    record.key_id = "key_1";
    EXPECT_THAT(line_of(record), HasSubstr(R"("key":"key_1")"));
}

TEST(RequestLog, CountsRoundsAndToolsAndSaysWhichFailed) {
    RequestRecord record = served();
    record.rounds = 3;
    record.tools = {{"gas", "", 1ms}, {"nap", "failed", 15s}};
    EXPECT_THAT(line_of(record),
                HasSubstr(R"("rounds":3,"tools":2,"tools_failed":["nap failed 15000 ms"])"));
}

TEST(RequestLog, NamesTheTraceThatIsToldToACollector) {
    RequestRecord record = served();
    record.trace = {{1, 2}, 3, 0, Sampled::no};
    EXPECT_THAT(line_of(record), Not(HasSubstr("trace_id")));
    record.trace.sampled = Sampled::yes;
    EXPECT_THAT(line_of(record), HasSubstr(R"("trace_id":"00000000000000010000000000000002")"));
}

TEST(RequestLog, LeavesOutWhatThereWasNot) {
    RequestRecord record;
    record.request_id = "req_2";
    record.method = "GET";
    record.path = "/nowhere";
    record.status = 404;
    record.error_kind = "not_found";
    record.total = 90us;
    EXPECT_EQ(line_of(record, log::Format::text),
              "1970-01-01T00:00:00.000Z info    request request_id=req_2 method=GET path=/nowhere "
              "status=404 stream=false error=not_found total_ms=0.090 bytes=0");
}

TEST(RequestLog, ShowsNoCredential) {
    RequestRecord record = served();
    record.error_detail = "401: Incorrect API key provided: sk-abcdef1234567890";
    record.error_kind = "model_not_found";
    record.path = "/v1/models?key=hunter2hunter2";
    record.model_asked = "rk-abcdef1234567890";
    EXPECT_THAT(line_of(record), HasSubstr("sk-***"));
    EXPECT_THAT(line_of(record), Not(HasSubstr("abcdef")));
    EXPECT_THAT(line_of(record), Not(HasSubstr("hunter2")));
}

TEST(RequestLog, CutsWhatAClientMadeUp) {
    RequestRecord record = served();
    record.model_asked = std::string(1'000'000, 'm');
    record.path = "/" + std::string(10'000, 'p');
    record.error_detail = std::string(1'000'000, 'e');
    EXPECT_LT(line_of(record).size(), 2'500u);
}

TEST(RequestLog, WarnsOfFailuresThatAreNotTheClients) {
    RequestRecord record = served();
    EXPECT_THAT(logged(record), HasSubstr(" info    request"));
    record.status = 400;
    record.error_kind = "invalid_json";
    EXPECT_THAT(logged(record), HasSubstr(" info    request"));
    record.status = 502;
    record.error_kind = "upstream_failed";
    EXPECT_THAT(logged(record), HasSubstr(" warning request"));
    record.status = 200;  // after the stream began
    record.error_kind = "upstream_truncated";
    EXPECT_THAT(logged(record), HasSubstr(" warning request"));
}

TEST(RequestLog, ShowsWarningsAndAClientThatLeft) {
    RequestRecord record = served();
    record.client_closed = true;
    record.warnings = {"schema_sanitized"};
    EXPECT_THAT(line_of(record), HasSubstr(R"("client_closed":true)"));
    EXPECT_THAT(line_of(record), HasSubstr(R"("warnings":["schema_sanitized"])"));
}

}  // namespace
}  // namespace runnel::telemetry
