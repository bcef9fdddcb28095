#include "telemetry/otlp.hpp"

#include "json/tree.hpp"
#include "telemetry/gen_ai_provider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace runnel::telemetry {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Key;
using testing::Not;
using testing::Pair;

const TraceSource source{"shop", "1.2.3", "one"};

// A failed attempt, a tool, and the attempt that answers.
RequestRecord told() {
    RequestRecord record;
    record.trace = {{0xA1, 0xB2}, 0xC3, 0xD4, Sampled::yes};
    record.request_id = "req_1";
    record.completion_id = "chatcmpl-1";
    record.method = "POST";
    record.path = "/v1/chat/completions?key=secret";
    record.model_asked = "fast";
    record.model_served = "openai/gpt-5-mini";
    record.provider = "openai";
    record.dialect = "agent";
    record.key_id = "key_1";
    record.team = "search";
    record.cache = "MISS";
    record.stream = true;
    record.status = 200;
    record.finish = "stop";
    record.usage = timeline::Usage{.fresh_input = 10, .cache_read = 5, .output = 7, .reasoning = 2};
    record.cost = Money{13'500'000};
    record.rounds = 2;
    record.first_event = 12'500us;
    record.total = 40ms;
    record.began = std::chrono::sys_time<std::chrono::milliseconds>(1'793'869'447'030ms);
    const auto peer = std::make_shared<const Peer>(
        Peer{.system = "openai", .address = "api.openai.com", .port = 443});
    record.attempts.push_back({.target = "claude/claude-x",
                               .error = "upstream_overloaded",
                               .detail = "they said: SECRET",
                               .total = 5ms,
                               .started = 1ms});
    record.attempts.push_back({.target = "openai/gpt-5-mini",
                               .first_token = 4ms,
                               .total = 30ms,
                               .started = 8ms,
                               .peer = peer});
    record.tools.push_back({.name = "now", .time = 250us, .started = 20ms, .number = 1});
    return record;
}

// What follows `name` in a span's JSON, scalars as their text.
using Values = std::map<std::string, std::string>;

std::string value_of(const json::Node& any_value) {
    const auto& [type, value] = any_value.members.front();
    if (type != "arrayValue") return type + " " + (value.is_string() ? value.text() : value.raw);
    std::string all = type;
    for (const json::Node& element : value.find("values")->elements) all += " " + value_of(element);
    return all;
}

Values attributes_of(const json::Node& holder) {
    Values values;
    for (const json::Node& attribute : holder.find("attributes")->elements)
        values[attribute.find("key")->text()] = value_of(*attribute.find("value"));
    return values;
}

Values fields_of(const json::Node& span) {
    Values values;
    for (const auto& [name, value] : span.members)
        if (value.kind == json::Node::Kind::scalar)
            values[name] = value.is_string() ? value.text() : value.raw;
    return values;
}

struct Told {
    json::Node resource;
    json::Node scope;
    std::vector<json::Node> spans;
};

Told spans_of(std::span<const RequestRecord> records) {
    const auto tree = json::read_tree(write_otlp(source, records));
    if (!tree) return {};
    const json::Node& group = tree->find("resourceSpans")->elements.at(0);
    const json::Node& spans = group.find("scopeSpans")->elements.at(0);
    return {*group.find("resource"), *spans.find("scope"), spans.find("spans")->elements};
}

Told spans_of(const RequestRecord& record) { return spans_of({&record, 1}); }

TEST(Otlp, SaysWhoTells) {
    const Told told_spans = spans_of(told());
    EXPECT_EQ(attributes_of(told_spans.resource),
              (Values{{"service.name", "stringValue shop"},
                      {"service.version", "stringValue 1.2.3"},
                      {"service.instance.id", "stringValue one"}}));
    EXPECT_EQ(told_spans.scope.find("name")->text(), "runnel");
}

TEST(Otlp, TellsTheRequestAsAServersSpan) {
    const json::Node span = spans_of(told()).spans.at(0);
    EXPECT_EQ(fields_of(span), (Values{{"traceId", "00000000000000a100000000000000b2"},
                                       {"spanId", "00000000000000c3"},
                                       {"parentSpanId", "00000000000000d4"},
                                       {"flags", "769"},
                                       {"name", "chat fast"},
                                       {"kind", "2"},
                                       {"startTimeUnixNano", "1793869447030000000"},
                                       {"endTimeUnixNano", "1793869447070000000"}}));
    EXPECT_EQ(attributes_of(span),
              (Values{{"gen_ai.operation.name", "stringValue chat"},
                      {"gen_ai.provider.name", "stringValue openai"},
                      {"gen_ai.request.model", "stringValue fast"},
                      {"gen_ai.request.stream", "boolValue true"},
                      {"gen_ai.response.id", "stringValue chatcmpl-1"},
                      {"gen_ai.response.model", "stringValue openai/gpt-5-mini"},
                      {"gen_ai.response.finish_reasons", "arrayValue stringValue stop"},
                      {"gen_ai.response.time_to_first_chunk", "doubleValue 0.0125"},
                      {"gen_ai.usage.input_tokens", "intValue 15"},
                      {"gen_ai.usage.output_tokens", "intValue 7"},
                      {"gen_ai.usage.cache_read.input_tokens", "intValue 5"},
                      {"gen_ai.usage.reasoning.output_tokens", "intValue 2"},
                      {"http.request.method", "stringValue POST"},
                      {"url.path", "stringValue /v1/chat/completions"},
                      {"http.response.status_code", "intValue 200"},
                      {"runnel.request_id", "stringValue req_1"},
                      {"runnel.key_id", "stringValue key_1"},
                      {"runnel.team", "stringValue search"},
                      {"runnel.dialect", "stringValue agent"},
                      {"runnel.cache", "stringValue MISS"},
                      {"runnel.attempts", "intValue 2"},
                      {"runnel.rounds", "intValue 2"},
                      {"runnel.cost_usd", "doubleValue 0.0135"}}));
    EXPECT_EQ(fields_of(span.find("events")->elements.at(0)),
              (Values{{"timeUnixNano", "1793869447042500000"}, {"name", "first_token"}}));
    EXPECT_TRUE(span.find("status")->members.empty());
}

TEST(Otlp, TellsEachAttemptAsAClientsSpan) {
    const RequestRecord record = told();
    const auto spans = spans_of(record).spans;
    ASSERT_EQ(spans.size(), span_count(record));
    const json::Node& failed = spans[1];
    EXPECT_EQ(fields_of(failed), (Values{{"traceId", "00000000000000a100000000000000b2"},
                                         {"spanId", in_hex(attempt_span(record.trace, 0))},
                                         {"parentSpanId", "00000000000000c3"},
                                         {"flags", "257"},
                                         {"name", "chat claude-x"},
                                         {"kind", "3"},
                                         {"startTimeUnixNano", "1793869447031000000"},
                                         {"endTimeUnixNano", "1793869447036000000"}}));
    EXPECT_EQ(attributes_of(failed), (Values{{"gen_ai.operation.name", "stringValue chat"},
                                             {"gen_ai.provider.name", "stringValue claude"},
                                             {"gen_ai.request.model", "stringValue claude-x"},
                                             {"gen_ai.request.stream", "boolValue true"},
                                             {"error.type", "stringValue upstream_overloaded"},
                                             {"runnel.provider", "stringValue claude"},
                                             {"runnel.attempt", "intValue 1"}}));
    EXPECT_EQ(fields_of(*failed.find("status")), (Values{{"code", "2"}}));
    EXPECT_EQ(failed.find("events"), nullptr);

    const json::Node& answered = spans[2];
    EXPECT_EQ(answered.find("spanId")->text(), in_hex(attempt_span(record.trace, 1)));
    EXPECT_THAT(
        attributes_of(answered),
        IsSupersetOf({Pair("gen_ai.provider.name", "stringValue openai"),
                      Pair("server.address", "stringValue api.openai.com"),
                      Pair("server.port", "intValue 443"), Pair("runnel.attempt", "intValue 2")}));
    EXPECT_THAT(attributes_of(answered), Not(Contains(Key("gen_ai.usage.input_tokens"))));
    EXPECT_EQ(answered.find("events")->elements.at(0).find("timeUnixNano")->text(),
              "1793869447042000000");
    EXPECT_TRUE(answered.find("status")->members.empty());
}

TEST(Otlp, TellsEachRunOfATool) {
    RequestRecord record = told();
    record.tools.push_back({.name = "search", .error = "failed", .number = 2});
    const auto spans = spans_of(record).spans;
    EXPECT_EQ(fields_of(spans.at(3)), (Values{{"traceId", "00000000000000a100000000000000b2"},
                                              {"spanId", in_hex(tool_span(record.trace, 1))},
                                              {"parentSpanId", "00000000000000c3"},
                                              {"flags", "257"},
                                              {"name", "execute_tool now"},
                                              {"kind", "1"},
                                              {"startTimeUnixNano", "1793869447050000000"},
                                              {"endTimeUnixNano", "1793869447050250000"}}));
    EXPECT_EQ(attributes_of(spans.at(3)),
              (Values{{"gen_ai.operation.name", "stringValue execute_tool"},
                      {"gen_ai.tool.name", "stringValue now"},
                      {"gen_ai.tool.type", "stringValue extension"}}));
    EXPECT_THAT(attributes_of(spans.at(4)), Contains(Pair("error.type", "stringValue failed")));
    EXPECT_EQ(fields_of(*spans.at(4).find("status")), (Values{{"code", "2"}}));
}

TEST(Otlp, HasNoParentWhereTheTraceBegins) {
    RequestRecord record = told();
    record.trace.parent = 0;
    const json::Node span = spans_of(record).spans.at(0);
    EXPECT_EQ(span.find("parentSpanId"), nullptr);
    EXPECT_EQ(span.find("flags")->raw, "257");
}

TEST(Otlp, TellsWhoseFaultAnErrorWas) {
    RequestRecord record = told();
    record.error_kind = "upstream_timeout";
    record.status = 504;
    auto span = spans_of(record).spans.at(0);
    EXPECT_EQ(fields_of(*span.find("status")), (Values{{"code", "2"}}));
    EXPECT_THAT(attributes_of(span), Contains(Pair("error.type", "stringValue upstream_timeout")));

    record.status = 200;  // the stream had begun
    EXPECT_EQ(fields_of(*spans_of(record).spans.at(0).find("status")), (Values{{"code", "2"}}));

    record.error_kind = "invalid_value";
    record.status = 400;
    span = spans_of(record).spans.at(0);
    EXPECT_TRUE(span.find("status")->members.empty());
    EXPECT_THAT(attributes_of(span), Contains(Pair("error.type", "stringValue invalid_value")));
}

TEST(Otlp, DoesNotCallAnAttemptFailedThatWasGivenUp) {
    RequestRecord record = told();
    for (const char* why : {"outpaced", "client_closed", "stopped"}) {
        record.attempts[0].error = why;
        EXPECT_TRUE(spans_of(record).spans.at(1).find("status")->members.empty()) << why;
    }
}

TEST(Otlp, NamesNoModelThatNobodyKnows) {
    RequestRecord record;
    record.trace = {{1, 2}, 3, 0, Sampled::yes};
    record.model_asked = "whatever-the-client-thought-of";
    record.error_kind = "model_not_found";
    record.status = 404;
    const auto spans = spans_of(record).spans;
    ASSERT_EQ(spans.size(), 1U);
    EXPECT_EQ(spans[0].find("name")->text(), "chat");
    EXPECT_THAT(attributes_of(spans[0]),
                Contains(Pair("gen_ai.provider.name", "stringValue runnel")));
}

TEST(Otlp, KeepsWhatHappenedInsideTheRequest) {
    RequestRecord record = told();
    record.attempts[0].started = -5ms;
    record.attempts[1].started = 1h;
    record.tools[0].time = 1h;
    for (const json::Node& span : spans_of(record).spans) {
        const std::int64_t begin = std::stoll(span.find("startTimeUnixNano")->text());
        const std::int64_t end = std::stoll(span.find("endTimeUnixNano")->text());
        EXPECT_GE(begin, 1'793'869'447'030'000'000);
        EXPECT_LE(begin, end);
        EXPECT_LE(end, 1'793'869'447'070'000'000);
    }
}

TEST(Otlp, SaysNothingOfWhatWasSaid) {
    RequestRecord record = told();
    record.error_kind = "upstream_error";
    record.error_detail = "SECRET";
    record.metadata_json = R"({"note":"SECRET"})";
    record.client_address = "192.0.2.7";
    const std::string text = write_otlp(source, {&record, 1});
    EXPECT_THAT(text, Not(HasSubstr("SECRET")));
    EXPECT_THAT(text, Not(HasSubstr("192.0.2.7")));
}

TEST(Otlp, IsValidWhateverAClientCallsAModel) {
    RequestRecord record = told();
    record.model_asked = "\xFF\"\\\n" + std::string(100'000, 'm');
    const auto spans = spans_of(record).spans;
    ASSERT_EQ(spans.size(), 4U);
    EXPECT_LT(spans[0].find("name")->text().size(), 300U);
}

TEST(Otlp, TellsOfManyRequestsAtOnce) {
    const std::vector<RequestRecord> records(3, told());
    EXPECT_EQ(spans_of(records).spans.size(), 12U);
    EXPECT_TRUE(spans_of(std::span<const RequestRecord>()).spans.empty());
}

TEST(GenAiProvider, GoesByTheConventionsName) {
    EXPECT_EQ(gen_ai_provider("openai", "mine"), "openai");
    EXPECT_EQ(gen_ai_provider("gemini", "mine"), "gcp.gemini");
    EXPECT_EQ(gen_ai_provider("azure", "mine"), "azure.ai.openai");
    EXPECT_EQ(gen_ai_provider("xai", "mine"), "x_ai");
    EXPECT_EQ(gen_ai_provider("openai-compatible", "mine"), "mine");
    EXPECT_EQ(gen_ai_provider("vllm", "mine"), "vllm");
}

}  // namespace
}  // namespace runnel::telemetry
