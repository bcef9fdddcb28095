#include "telemetry/record_json.hpp"

#include "json/parser.hpp"

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
    record.model_asked = "fast";
    record.model_served = "openai/gpt-5-mini";
    record.provider = "openai";
    record.dialect = "openai";
    record.stream = true;
    record.status = 200;
    record.finish = "stop";
    record.usage = timeline::Usage{.fresh_input = 10, .cache_read = 5, .output = 7};
    record.usage_provenance = RequestRecord::Provenance::reported;
    record.first_event = 1500us;
    record.total = 20ms;
    record.longest_gap = 10'250us;
    record.bytes_out = 4096;
    record.attempts.push_back(
        {.target = "openai/gpt-5-mini", .first_token = 2ms, .total = 20ms, .started = 3ms});
    record.began = std::chrono::sys_days(std::chrono::year(2026) / 11 / 5) + 9h + 4min + 7s + 30ms;
    record.key_id = "key_1";
    record.team = "search";
    record.client_address = "192.0.2.7";
    record.metadata_json = R"({"user": "ada"})";
    record.rounds = 1;
    record.tools.push_back({.name = "now", .time = 250us, .started = 12ms});
    record.cache = "MISS";
    record.cost = Money{13'500'000};
    record.cost_lines.push_back({"input", 10, 3e-6, Money{30'000}, "Input tokens"});
    return record;
}

TEST(RecordJson, TellsAllThereIsToKnow) {
    EXPECT_EQ(
        record_json(served()),
        R"({"id":"chatcmpl-1","request_id":"req_1","time":"2026-11-05T09:04:07.030Z",)"
        R"("time_ms":1793869447030,"key_id":"key_1","team":"search","model":"fast",)"
        R"("model_served":"openai/gpt-5-mini","provider":"openai","dialect":"openai",)"
        R"("stream":true,"outcome":"ok","status":200,"finish_reason":"stop","error":null,)"
        R"("attempts":[{"target":"openai/gpt-5-mini","key":0,"error":null,"detail":null,)"
        R"("started_ms":3,"first_token_ms":2,"total_ms":20,"hedge":false}],"rounds":1,)"
        R"("tools":[{"name":"now","error":null,"started_ms":12,"ms":0.25}],)"
        R"("usage":{"input":15,"output":7,"cache_read":5,"cache_write":null,"reasoning":null,)"
        R"("total":22,"provenance":"reported"},)"
        R"("cost":{"usd":0.0135,"lines":[{"sku":"input","quantity":10,"unit_price":0.000003,)"
        R"("amount_usd":0.00003,"description":"Input tokens"}]},"cache":"MISS","guardrails":[],)"
        R"("timings_ms":{"first_token":1.5,"total":20,)"
        R"("longest_gap":10.25},"client_closed":false,"client_address":"192.0.2.7",)"
        R"("bytes_out":4096,"warnings":[],"malformed_frames":0,"rerouted_from":null,)"
        R"("continued_by":null,"continuation":null,"metadata":{"user":"ada"}})");
}

TEST(RecordJson, HasTheSameMembersWhenThereWasNothing) {
    EXPECT_EQ(
        record_json({.request_id = "req_2"}),
        R"({"id":null,"request_id":"req_2","time":"1970-01-01T00:00:00Z","time_ms":0,)"
        R"("key_id":null,"team":null,"model":null,"model_served":null,"provider":null,)"
        R"("dialect":null,"stream":false,"outcome":"ok","status":0,"finish_reason":null,)"
        R"("error":null,"attempts":[],"rounds":0,"tools":[],"usage":null,)"
        R"("cost":{"usd":null,"lines":[]},"cache":null,"guardrails":[],)"
        R"("timings_ms":{"first_token":null,"total":0,"longest_gap":0},)"
        R"("client_closed":false,"client_address":null,"bytes_out":0,"warnings":[],)"
        R"("malformed_frames":0,"rerouted_from":null,"continued_by":null,"continuation":null,)"
        R"("metadata":null})");
}

TEST(RecordJson, SaysInOneWordHowItWent) {
    const auto outcome = [](auto change) {
        RequestRecord record = served();
        change(record);
        const std::string json = record_json(record);
        const std::size_t begin = json.find(R"("outcome":")") + 11;
        return json.substr(begin, json.find('"', begin) - begin);
    };
    EXPECT_EQ(outcome([](RequestRecord&) {}), "ok");
    EXPECT_EQ(outcome([](RequestRecord& r) { r.error_kind = "upstream_truncated"; }), "error");
    EXPECT_EQ(outcome([](RequestRecord& r) { r.status = 404; }), "error");
    EXPECT_EQ(outcome([](RequestRecord& r) { r.client_closed = true; }), "client_closed");
    EXPECT_EQ(outcome([](RequestRecord& r) { r.error_kind = crashed_error; }), "crashed");
}

TEST(RecordJson, MasksWhatLooksLikeACredential) {
    const std::string key = "sk-live-0123456789abcdef";
    RequestRecord record = served();
    record.error_kind = "upstream_auth";
    record.error_detail = "Incorrect API key provided: " + key;
    record.attempts[0].detail = "Authorization: Bearer " + key;
    record.tools[0].error = "401 for " + key;
    record.warnings = {"token=" + key};
    record.metadata_json = R"({"api_key":")" + key + R"(","pin_token": 12345})";
    const std::string json = record_json(record);
    EXPECT_THAT(json, Not(HasSubstr("0123456789")));
    EXPECT_THAT(json,
                HasSubstr(R"("code":"upstream_auth","detail":"Incorrect API key provided: )"));
    // A number that is masked leaves no JSON behind: then it is told as text.
    EXPECT_THAT(json, HasSubstr(R"("metadata":"{\"api_key\":\"sk-***\",\"pin_token\":***}")"));
    EXPECT_TRUE(json::is_whole(json));
}

TEST(RecordJson, IsOneLineOfValidJsonWhateverOthersSent) {
    RequestRecord record = served();
    record.model_asked = "a\xFF\n\"b\\" + std::string(1000, 'x');
    record.error_kind = "upstream_failed";
    record.error_detail = std::string("\0\x1F\xC3", 3) + std::string(5000, 'y');
    record.metadata_json = "{\n  \"a\" : 1\n}";
    const std::string json = record_json(record);
    EXPECT_TRUE(json::is_whole(json)) << json;
    EXPECT_EQ(json.find('\n'), std::string::npos);
    EXPECT_EQ(json::find_invalid_utf8(json), std::string::npos);
    EXPECT_LT(json.size(), 3500u);
    EXPECT_THAT(json, HasSubstr(R"("metadata":{"a":1})"));
}

TEST(RecordJson, WritesAmountsExactly) {
    const auto usd = [](std::int64_t nano) {
        RequestRecord record = served();
        record.cost = Money{nano};
        const std::string json = record_json(record);
        const std::size_t begin = json.find(R"("usd":)") + 6;
        return json.substr(begin, json.find(',', begin) - begin);
    };
    EXPECT_EQ(usd(0), "0");
    EXPECT_EQ(usd(1), "0.000000001");
    EXPECT_EQ(usd(1'000'000'000), "1");
    EXPECT_EQ(usd(123'456'789'012'345'678), "123456789.012345678");
    EXPECT_EQ(usd(-250'000'000), "-0.25");
}

}  // namespace
}  // namespace runnel::telemetry
