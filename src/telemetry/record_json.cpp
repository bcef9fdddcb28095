#include "telemetry/record_json.hpp"

#include "base/redact.hpp"
#include "base/utc_time.hpp"
#include "base/utf8.hpp"
#include "json/parser.hpp"
#include "json/quick_writer.hpp"
#include "json/text.hpp"
#include "telemetry/text_lengths.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace runnel::telemetry {
namespace {

using json::QuickWriter;

// Every request is written so, and most of it is the same each time: hence the literals.
class RecordWriter {
public:
    RecordWriter(std::string& out, const RequestRecord& record) : to_(out), record_(record) {}

    void write();

private:
    // One of the program's own words.
    void word(std::string_view value);
    void text(std::string_view value, std::size_t bytes_max = client_text_bytes);
    // What a provider, a server or a client said, of which nobody knows what is in it.
    void foreign_text(std::string_view value, std::size_t bytes_max);
    void texts(const std::vector<std::string>& values);
    void count(const std::optional<std::int64_t>& value);
    void ms(std::chrono::microseconds time) { to_.decimal(time.count(), 3); }
    // A time that is 0 where it never came to it.
    void ms_or_null(std::chrono::microseconds time);
    void usd(Money amount) { to_.decimal(amount.nano_usd, 9); }
    void unit_price(double usd);

    void error();
    void attempts();
    void tools();
    void usage();
    void cost();
    void timings();
    void metadata();

    QuickWriter to_;
    const RequestRecord& record_;
};

void RecordWriter::word(std::string_view value) {
    if (value.empty()) {
        to_.literal("null");
    } else {
        to_.word(value);
    }
}

void RecordWriter::text(std::string_view value, std::size_t bytes_max) {
    if (value.empty()) {
        to_.literal("null");
    } else {
        to_.string(utf8_prefix(value, bytes_max));
    }
}

void RecordWriter::foreign_text(std::string_view value, std::size_t bytes_max) {
    // Masked before it is cut: half a credential does not look like one.
    text(value.empty() ? std::string() : redacted(value), bytes_max);
}

void RecordWriter::texts(const std::vector<std::string>& values) {
    to_.literal("[");
    for (const std::string& value : values) {
        if (&value != &values.front()) to_.literal(",");
        to_.string(utf8_prefix(redacted(value), client_text_bytes));
    }
    to_.literal("]");
}

void RecordWriter::count(const std::optional<std::int64_t>& value) {
    if (value) {
        to_.number(*value);
    } else {
        to_.literal("null");
    }
}

void RecordWriter::ms_or_null(std::chrono::microseconds time) {
    if (time.count() > 0) {
        ms(time);
    } else {
        to_.literal("null");
    }
}

// Prices have few digits, so fifteen places are enough for those of tokens.
void RecordWriter::unit_price(double usd) {
    to_.decimal(std::llround(std::clamp(usd, -1000.0, 1000.0) * 1e15), 15);
}

void RecordWriter::error() {
    if (record_.error_kind.empty()) {
        to_.literal("null");
        return;
    }
    to_.literal(R"({"code":)").string(record_.error_kind).literal(R"(,"detail":)");
    foreign_text(record_.error_detail, detail_bytes);
    to_.literal("}");
}

void RecordWriter::attempts() {
    to_.literal("[");
    for (const AttemptRecord& attempt : record_.attempts) {
        if (&attempt != &record_.attempts.front()) to_.literal(",");
        to_.literal(R"({"target":)");
        text(attempt.target);
        to_.literal(R"(,"key":)").number(static_cast<std::int64_t>(attempt.key));
        to_.literal(R"(,"error":)");
        word(attempt.error);
        to_.literal(R"(,"detail":)");
        foreign_text(attempt.detail, attempt_detail_bytes);
        to_.literal(R"(,"started_ms":)");
        ms(attempt.started);
        to_.literal(R"(,"first_token_ms":)");
        ms_or_null(attempt.first_token);
        to_.literal(R"(,"total_ms":)");
        ms(attempt.total);
        to_.literal(R"(,"hedge":)").boolean(attempt.hedge).literal("}");
    }
    to_.literal("]");
}

void RecordWriter::tools() {
    to_.literal("[");
    for (const ToolRecord& tool : record_.tools) {
        if (&tool != &record_.tools.front()) to_.literal(",");
        to_.literal(R"({"name":)");
        text(tool.name);
        to_.literal(R"(,"error":)");
        foreign_text(tool.error, attempt_detail_bytes);
        to_.literal(R"(,"started_ms":)");
        ms(tool.started);
        to_.literal(R"(,"ms":)");
        ms(tool.time);
        to_.literal("}");
    }
    to_.literal("]");
}

void RecordWriter::usage() {
    if (!record_.usage) {
        to_.literal("null");
        return;
    }
    const timeline::Usage& usage = *record_.usage;
    to_.literal(R"({"input":)").number(usage.input());
    to_.literal(R"(,"output":)").number(usage.output);
    to_.literal(R"(,"cache_read":)");
    count(usage.cache_read);
    to_.literal(R"(,"cache_write":)");
    count(usage.cache_write);
    to_.literal(R"(,"reasoning":)");
    count(usage.reasoning);
    to_.literal(R"(,"total":)").number(usage.total());
    to_.literal(R"(,"provenance":)");
    word(name_of(record_.usage_provenance));
    to_.literal("}");
}

void RecordWriter::cost() {
    to_.literal(R"({"usd":)");
    if (record_.cost) {
        usd(*record_.cost);
    } else {
        to_.literal("null");
    }
    to_.literal(R"(,"lines":[)");
    for (const CostLine& line : record_.cost_lines) {
        if (&line != &record_.cost_lines.front()) to_.literal(",");
        to_.literal(R"({"sku":)");
        text(line.sku);
        to_.literal(R"(,"quantity":)").number(line.quantity);
        to_.literal(R"(,"unit_price":)");
        unit_price(line.unit_price);
        to_.literal(R"(,"amount_usd":)");
        usd(line.amount);
        to_.literal(R"(,"description":)");
        text(line.description);
        to_.literal("}");
    }
    to_.literal("]}");
}

void RecordWriter::timings() {
    to_.literal(R"({"queue":)");
    ms(record_.queued);
    to_.literal(R"(,"connect":)");
    ms(record_.connect);
    to_.literal(R"(,"first_token":)");
    ms_or_null(record_.first_event);
    to_.literal(R"(,"total":)");
    ms(record_.total);
    to_.literal(R"(,"longest_gap":)");
    ms(record_.longest_gap);
    to_.literal("}");
}

// Masking may take a number away, which leaves text that is no JSON any more.
void RecordWriter::metadata() {
    if (record_.metadata_json.empty()) {
        to_.literal("null");
        return;
    }
    const std::string masked = redacted(record_.metadata_json);
    if (json::is_whole(masked)) {
        std::string compact;
        json::append_compact(compact, masked);
        to_.raw(compact);
    } else {
        to_.string(masked);
    }
}

void RecordWriter::write() {
    to_.literal(R"({"id":)");
    text(record_.completion_id);
    to_.literal(R"(,"request_id":)");
    text(record_.request_id);
    to_.literal(R"(,"time":)").word(write_utc_time(record_.began));
    to_.literal(R"(,"time_ms":)").number(record_.began.time_since_epoch().count());
    to_.literal(R"(,"key_id":)");
    text(record_.key_id);
    to_.literal(R"(,"team":)");
    text(record_.team);
    to_.literal(R"(,"model":)");
    text(record_.model_asked);
    to_.literal(R"(,"model_served":)");
    text(record_.model_served);
    to_.literal(R"(,"provider":)");
    text(record_.provider);
    to_.literal(R"(,"dialect":)");
    word(record_.dialect);
    to_.literal(R"(,"stream":)").boolean(record_.stream);
    to_.literal(R"(,"outcome":)");
    word(outcome_of(record_));
    to_.literal(R"(,"status":)").number(record_.status);
    to_.literal(R"(,"finish_reason":)");
    word(record_.finish);
    to_.literal(R"(,"error":)");
    error();
    to_.literal(R"(,"attempts":)");
    attempts();
    to_.literal(R"(,"rounds":)").number(record_.rounds);
    to_.literal(R"(,"tools":)");
    tools();
    to_.literal(R"(,"usage":)");
    usage();
    to_.literal(R"(,"cost":)");
    cost();
    to_.literal(R"(,"cache":)");
    word(record_.cache);
    to_.literal(R"(,"guardrails":)");
    texts(record_.guardrails);
    to_.literal(R"(,"timings_ms":)");
    timings();
    to_.literal(R"(,"client_closed":)").boolean(record_.client_closed);
    to_.literal(R"(,"client_address":)");
    text(record_.client_address);
    to_.literal(R"(,"bytes_out":)").number(static_cast<std::int64_t>(record_.bytes_out));
    to_.literal(R"(,"warnings":)");
    texts(record_.warnings);
    to_.literal(R"(,"malformed_frames":)").number(record_.malformed_frames);
    to_.literal(R"(,"rerouted_from":)");
    text(record_.rerouted_from);
    to_.literal(R"(,"continued_by":)");
    text(record_.continued_by);
    to_.literal(R"(,"continuation":)");
    word(record_.continuation);
    to_.literal(R"(,"metadata":)");
    metadata();
    to_.literal("}");
}

}  // namespace

std::string_view outcome_of(const RequestRecord& record) {
    if (record.error_kind == crashed_error) return "crashed";
    if (record.client_closed) return "client_closed";
    return record.error_kind.empty() && record.status < 400 ? "ok" : "error";
}

std::string_view name_of(RequestRecord::Provenance provenance) {
    using enum RequestRecord::Provenance;
    switch (provenance) {
        case none: return "";
        case reported: return "reported";
        case counted: return "counted";
        case estimated: return "estimated";
    }
    return "";
}

void append_record(std::string& out, const RequestRecord& record) {
    const std::size_t begin = out.size();
    RecordWriter(out, record).write();
    if (const std::string_view written = std::string_view(out).substr(begin);
        json::find_invalid_utf8(written) != std::string_view::npos)
        out.replace(begin, std::string::npos, with_valid_utf8(written));
}

std::string record_json(const RequestRecord& record) {
    std::string out;
    append_record(out, record);
    return out;
}

}  // namespace runnel::telemetry
