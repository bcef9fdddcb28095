#include "telemetry/otlp.hpp"

#include "base/utf8.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace runnel::telemetry {
namespace {

using std::chrono::nanoseconds;

// OTLP's numbers for them.
enum class Kind { internal = 1, server = 2, client = 3 };
constexpr int error_status = 2;
constexpr int sampled_flag = 0x001;
constexpr int parent_known_flag = 0x100;  // whether the parent is remote is known
constexpr int parent_remote_flag = 0x200;

// Attempts that ended so did not fail.
constexpr std::string_view given_up[] = {"stopped", "outpaced", "client_closed"};

// What others made up: bounded, and in UTF-8.
std::string tidy(std::string_view text) {
    return with_valid_utf8(utf8_prefix(text, client_text_bytes));
}

// A span's name with what it is about; the word alone where nobody knows that.
std::string name_with(std::string_view word, std::string_view about) {
    return about.empty() ? std::string(word) : fmt::format("{} {}", word, tidy(about));
}

class Attributes {
public:
    explicit Attributes(json::Writer* out) : out_(*out) { out_.key("attributes").begin_array(); }

    // What is empty is left out.
    void text(json::Literal key, std::string_view value) {
        if (value.empty()) return;
        begin(key, "stringValue").string(tidy(value));
        end();
    }
    void texts(json::Literal key, std::span<const std::string> values) {
        if (values.empty()) return;
        begin(key, "arrayValue").begin_object().key("values").begin_array();
        for (const std::string& value : values)
            out_.begin_object().key("stringValue").string(tidy(value)).end_object();
        out_.end_array().end_object();
        end();
    }
    void number(json::Literal key, std::int64_t value) {
        // In JSON, OTLP has 64-bit numbers as text.
        begin(key, "intValue").string(std::to_string(value));
        end();
    }
    void count(json::Literal key, const std::optional<std::int64_t>& value) {
        if (value) number(key, *value);
    }
    void real(json::Literal key, double value) {
        begin(key, "doubleValue").real(value);
        end();
    }
    // What is not so is left out, too.
    void flag(json::Literal key, bool value) {
        if (!value) return;
        begin(key, "boolValue").boolean(true);
        end();
    }
    void done() { out_.end_array(); }

private:
    json::Writer& begin(json::Literal key, json::Literal type) {
        out_.begin_object().key("key").string(key);
        return out_.key("value").begin_object().key(type);
    }
    void end() { out_.end_object().end_object(); }

    json::Writer& out_;
};

// The spans of one request.
class Spans {
public:
    Spans(std::string& out, const RequestRecord& record) : out_(out), record_(record) {}

    void write();

private:
    struct Times {
        nanoseconds begin;
        nanoseconds end;
    };
    void begin_span(SpanId id, SpanId parent, Kind kind, std::string_view name, Times times);
    enum class Ended { well, failed };
    void end_span(Ended ended);
    void first_token(nanoseconds time);
    // Clocks may jump, and count in steps: what happened in the request is not told as before or
    // after it.
    nanoseconds at(nanoseconds since_begin) const;

    void request();
    void model(Attributes& attributes) const;
    void usage(Attributes& attributes) const;
    void http(Attributes& attributes) const;
    void gateway(Attributes& attributes) const;
    void attempt(std::size_t number);
    void tool(const ToolRecord& tool);
    std::string_view system() const;

    json::Writer out_;
    const RequestRecord& record_;
};

void Spans::write() {
    request();
    for (std::size_t i = 0; i < record_.attempts.size(); ++i) attempt(i);
    for (const ToolRecord& one : record_.tools) tool(one);
}

nanoseconds Spans::at(nanoseconds since_begin) const {
    return nanoseconds(record_.began.time_since_epoch()) +
           std::clamp(since_begin, nanoseconds(0), nanoseconds(record_.total));
}

void Spans::begin_span(SpanId id, SpanId parent, Kind kind, std::string_view name, Times times) {
    out_.begin_object().key("traceId").string(in_hex(record_.trace.trace));
    out_.key("spanId").string(in_hex(id));
    if (parent != 0) out_.key("parentSpanId").string(in_hex(parent));
    const bool remote = kind == Kind::server && parent != 0;
    out_.key("flags").number(sampled_flag | parent_known_flag | (remote ? parent_remote_flag : 0));
    out_.key("name").string(name).key("kind").number(static_cast<int>(kind));
    out_.key("startTimeUnixNano").string(std::to_string(times.begin.count()));
    out_.key("endTimeUnixNano").string(std::to_string(times.end.count()));
}

void Spans::end_span(Ended ended) {
    out_.key("status").begin_object();
    if (ended == Ended::failed) out_.key("code").number(error_status);
    out_.end_object().end_object();
}

void Spans::first_token(nanoseconds time) {
    out_.key("events").begin_array().begin_object();
    out_.key("timeUnixNano").string(std::to_string(time.count()));
    out_.key("name").string("first_token").end_object().end_array();
}

void Spans::request() {
    // A name that nobody knows here is the client's own, and there may be many of those.
    const bool known = !record_.attempts.empty() || !record_.model_served.empty();
    begin_span(record_.trace.span, record_.trace.parent, Kind::server,
               name_with(record_.operation, known ? record_.model_asked : std::string()),
               {at(nanoseconds(0)), at(record_.total)});
    Attributes attributes(&out_);
    model(attributes);
    usage(attributes);
    http(attributes);
    gateway(attributes);
    attributes.done();
    if (record_.first_event.count() > 0) first_token(at(record_.first_event));
    const bool clients_fault = record_.status >= 400 && record_.status < 500;
    const bool failed = !record_.error_kind.empty() && !clients_fault;
    end_span(failed ? Ended::failed : Ended::well);
}

void Spans::model(Attributes& attributes) const {
    attributes.text("gen_ai.operation.name", record_.operation);
    attributes.text("gen_ai.provider.name", system());
    attributes.text("gen_ai.request.model", record_.model_asked);
    attributes.flag("gen_ai.request.stream", record_.stream);
    attributes.text("gen_ai.response.id", record_.completion_id);
    attributes.text("gen_ai.response.model", record_.model_served);
    if (!record_.finish.empty())
        attributes.texts("gen_ai.response.finish_reasons", {&record_.finish, 1});
    if (record_.stream && record_.first_event.count() > 0)
        attributes.real("gen_ai.response.time_to_first_chunk",
                        std::chrono::duration<double>(record_.first_event).count());
    attributes.text("error.type", record_.error_kind);
}

// Here alone, not at the attempts too: whoever adds up a trace's tokens counts them once.
void Spans::usage(Attributes& attributes) const {
    if (!record_.usage) return;
    const timeline::Usage& usage = *record_.usage;
    attributes.number("gen_ai.usage.input_tokens", usage.input());
    attributes.number("gen_ai.usage.output_tokens", usage.output);
    attributes.count("gen_ai.usage.cache_read.input_tokens", usage.cache_read);
    attributes.count("gen_ai.usage.cache_creation.input_tokens", usage.cache_write);
    attributes.count("gen_ai.usage.reasoning.output_tokens", usage.reasoning);
}

void Spans::http(Attributes& attributes) const {
    attributes.text("http.request.method", record_.method);
    // Some clients put their key into the query.
    attributes.text("url.path", std::string_view(record_.path).substr(0, record_.path.find('?')));
    if (record_.status != 0) attributes.number("http.response.status_code", record_.status);
}

void Spans::gateway(Attributes& attributes) const {
    attributes.text("runnel.request_id", record_.request_id);
    attributes.text("runnel.key_id", record_.key_id);
    attributes.text("runnel.team", record_.team);
    attributes.text("runnel.dialect", record_.dialect);
    attributes.text("runnel.cache", record_.cache);
    attributes.number("runnel.attempts", static_cast<std::int64_t>(record_.attempts.size()));
    if (record_.rounds > 0) attributes.number("runnel.rounds", record_.rounds);
    if (record_.cost) attributes.real("runnel.cost_usd", record_.cost->usd());
    attributes.text("runnel.rerouted_from", record_.rerouted_from);
    attributes.text("runnel.continued_by", record_.continued_by);
    attributes.texts("runnel.guardrails", record_.guardrails);
    attributes.flag("runnel.client_closed", record_.client_closed);
}

// Of whoever answered, or was asked last; an answer from the cache is its first owner's.
std::string_view Spans::system() const {
    const auto answered = std::ranges::find_if(
        record_.attempts, [](const AttemptRecord& attempt) { return attempt.error.empty(); });
    const AttemptRecord* attempt = record_.attempts.empty() ? nullptr : &record_.attempts.back();
    if (answered != record_.attempts.end()) attempt = &*answered;
    if (attempt != nullptr && attempt->peer) return attempt->peer->system;
    return record_.provider.empty() ? std::string_view("runnel") : record_.provider;
}

void Spans::attempt(std::size_t number) {
    const AttemptRecord& attempt = record_.attempts[number];
    const std::size_t slash = attempt.target.find('/');
    const std::string provider = attempt.target.substr(0, slash);
    const std::string model =
        slash == std::string::npos ? std::string() : attempt.target.substr(slash + 1);
    begin_span(attempt_span(record_.trace, number), record_.trace.span, Kind::client,
               name_with(record_.operation, model),
               {at(attempt.started), at(attempt.started + attempt.total)});
    Attributes attributes(&out_);
    attributes.text("gen_ai.operation.name", record_.operation);
    attributes.text("gen_ai.provider.name", attempt.peer ? attempt.peer->system : provider);
    attributes.text("gen_ai.request.model", model);
    attributes.flag("gen_ai.request.stream", record_.stream);
    if (attempt.peer && !attempt.peer->address.empty()) {
        attributes.text("server.address", attempt.peer->address);
        attributes.number("server.port", attempt.peer->port);
    }
    attributes.text("error.type", attempt.error);
    attributes.text("runnel.provider", provider);
    attributes.number("runnel.attempt", static_cast<std::int64_t>(number) + 1);
    attributes.flag("runnel.hedge", attempt.hedge);
    attributes.done();
    // Within its first millisecond, it may be.
    if (attempt.error.empty() || attempt.first_token.count() > 0)
        first_token(at(attempt.started + attempt.first_token));
    const bool failed =
        !attempt.error.empty() && std::ranges::find(given_up, attempt.error) == std::end(given_up);
    end_span(failed ? Ended::failed : Ended::well);
}

void Spans::tool(const ToolRecord& tool) {
    begin_span(tool_span(record_.trace, tool.number), record_.trace.span, Kind::internal,
               name_with("execute_tool", tool.name),
               {at(tool.started), at(tool.started + tool.time)});
    Attributes attributes(&out_);
    attributes.text("gen_ai.operation.name", "execute_tool");
    attributes.text("gen_ai.tool.name", tool.name);
    attributes.text("gen_ai.tool.type", "extension");
    attributes.text("error.type", tool.error);
    attributes.done();
    end_span(tool.error.empty() ? Ended::well : Ended::failed);
}

}  // namespace

std::size_t span_count(const RequestRecord& record) {
    return 1 + record.attempts.size() + record.tools.size();
}

std::string write_otlp(const TraceSource& source, std::span<const RequestRecord> records) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("resourceSpans").begin_array().begin_object();
    out.key("resource").begin_object();
    Attributes attributes(&out);
    attributes.text("service.name", source.service_name);
    attributes.text("service.version", source.version);
    attributes.text("service.instance.id", source.instance_id);
    attributes.done();
    out.end_object().key("scopeSpans").begin_array().begin_object();
    out.key("scope").begin_object().key("name").string("runnel");
    out.key("version").string(source.version).end_object();
    out.key("spans").begin_array();
    for (const RequestRecord& record : records) Spans(text, record).write();
    out.end_array().end_object().end_array().end_object().end_array().end_object();
    return text;
}

}  // namespace runnel::telemetry
