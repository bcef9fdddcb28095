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

enum class Form {
    whole,    // all members, always
    details,  // those that say something which the ledger's columns don't
};

// Every request is written so, and most of it is the same each time: hence the literals. In an
// object with members that may be left out, one is always there: those before it bring a comma
// behind them, those after it one before them.
class RecordWriter {
public:
    RecordWriter(std::string& out, const RequestRecord& record, Form form)
        : to_(out),
          record_(record),
          is_whole_(form == Form::whole) {}

    void write();

private:
    // A member that may be left out where it says nothing, before or after the one that may not.
    template <std::size_t size>
    void before(const char (&name)[size], bool says_something, auto write_value) {
        if (!is_whole_ && !says_something) return;
        to_.literal(name);
        write_value();
        to_.literal(",");
    }
    template <std::size_t size>
    void after(const char (&name)[size], bool says_something, auto write_value) {
        if (!is_whole_ && !says_something) return;
        to_.literal(name);
        write_value();
    }
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

    void who_asked();
    void how_it_went();
    void error();
    void attempts();
    void attempt(const AttemptRecord& attempt);
    void tools();
    void usage();
    void cost();
    void timings();
    void metadata();

    QuickWriter to_;
    const RequestRecord& record_;
    const bool is_whole_;
};

// Prices have few digits, so fifteen places are enough for those of tokens.
void write_unit_price(QuickWriter& to, double usd) {
    to.decimal(std::llround(std::clamp(usd, -1000.0, 1000.0) * 1e15), 15);
}

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

void RecordWriter::error() {
    if (record_.error_kind.empty()) {
        to_.literal("null");
        return;
    }
    to_.literal("{");
    if (is_whole_) to_.literal(R"("code":)").string(record_.error_kind).literal(",");
    to_.literal(R"("detail":)");
    foreign_text(record_.error_detail, detail_bytes);
    to_.literal("}");
}

void RecordWriter::attempt(const AttemptRecord& attempt) {
    to_.literal("{");
    before(R"("target":)", attempt.target != record_.model_served, [&] { text(attempt.target); });
    before(R"("key":)", attempt.key != 0,
           [&] { to_.number(static_cast<std::int64_t>(attempt.key)); });
    before(R"("error":)", !attempt.error.empty(), [&] { word(attempt.error); });
    before(R"("detail":)", !attempt.detail.empty(),
           [&] { foreign_text(attempt.detail, attempt_detail_bytes); });
    before(R"("started_ms":)", attempt.started.count() != 0, [&] { ms(attempt.started); });
    before(R"("first_token_ms":)", attempt.first_token.count() > 0,
           [&] { ms_or_null(attempt.first_token); });
    to_.literal(R"("total_ms":)");
    ms(attempt.total);
    after(R"(,"hedge":)", attempt.hedge, [&] { to_.boolean(attempt.hedge); });
    to_.literal("}");
}

void RecordWriter::attempts() {
    to_.literal("[");
    for (const AttemptRecord& one : record_.attempts) {
        if (&one != &record_.attempts.front()) to_.literal(",");
        attempt(one);
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
    to_.literal("{");
    if (is_whole_) {
        to_.literal(R"("input":)").number(usage.input());
        to_.literal(R"(,"output":)").number(usage.output).literal(",");
    }
    before(R"("cache_read":)", usage.cache_read.has_value(), [&] { count(usage.cache_read); });
    before(R"("cache_write":)", usage.cache_write.has_value(), [&] { count(usage.cache_write); });
    before(R"("reasoning":)", usage.reasoning.has_value(), [&] { count(usage.reasoning); });
    if (is_whole_) to_.literal(R"("total":)").number(usage.total()).literal(",");
    to_.literal(R"("provenance":)");
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
        write_unit_price(to_, line.unit_price);
        to_.literal(R"(,"amount_usd":)");
        usd(line.amount);
        to_.literal(R"(,"description":)");
        text(line.description);
        to_.literal("}");
    }
    to_.literal("]}");
}

void RecordWriter::timings() {
    to_.literal("{");
    before(R"("queue":)", record_.queued.count() != 0, [&] { ms(record_.queued); });
    before(R"("connect":)", record_.connect.count() != 0, [&] { ms(record_.connect); });
    before(R"("first_token":)", record_.first_event.count() > 0,
           [&] { ms_or_null(record_.first_event); });
    to_.literal(R"("total":)");
    ms(record_.total);
    after(R"(,"longest_gap":)", record_.longest_gap.count() != 0, [&] { ms(record_.longest_gap); });
    to_.literal("}");
}

// Masking may take a number away, which leaves text that is no JSON any more.
void RecordWriter::metadata() {
    if (record_.metadata_json.empty()) {
        to_.literal("null");
        return;
    }
    // Masked as it will be read: white space may part a name from its value.
    std::string compact;
    if (json::is_whole(record_.metadata_json))
        json::append_compact(compact, record_.metadata_json);
    else
        compact = record_.metadata_json;
    const std::string masked = redacted(compact);
    if (json::is_whole(masked)) {
        to_.raw(masked);
    } else {
        to_.string(masked);
    }
}

void RecordWriter::who_asked() {
    to_.literal(R"("id":)");
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
    to_.literal(",");
}

void RecordWriter::how_it_went() {
    to_.literal(R"("stream":)").boolean(record_.stream);
    to_.literal(R"(,"outcome":)");
    word(outcome_of(record_));
    to_.literal(R"(,"status":)").number(record_.status);
    to_.literal(R"(,"finish_reason":)");
    word(record_.finish);
    to_.literal(",");
}

void RecordWriter::write() {
    to_.literal("{");
    if (is_whole_) who_asked();
    before(R"("dialect":)", !record_.dialect.empty(), [&] { word(record_.dialect); });
    if (is_whole_) how_it_went();
    before(R"("error":)", !record_.error_detail.empty(), [&] { error(); });
    before(R"("attempts":)", !record_.attempts.empty(), [&] { attempts(); });
    before(R"("rounds":)", record_.rounds != 0, [&] { to_.number(record_.rounds); });
    before(R"("tools":)", !record_.tools.empty(), [&] { tools(); });
    before(R"("usage":)", record_.usage.has_value(), [&] { usage(); });
    if (is_whole_) before(R"("cost":)", true, [&] { cost(); });
    before(R"("cache":)", !record_.cache.empty(), [&] { word(record_.cache); });
    before(R"("guardrails":)", !record_.guardrails.empty(), [&] { texts(record_.guardrails); });
    to_.literal(R"("timings_ms":)");
    timings();
    after(R"(,"client_closed":)", record_.client_closed,
          [&] { to_.boolean(record_.client_closed); });
    after(R"(,"client_address":)", !record_.client_address.empty(),
          [&] { text(record_.client_address); });
    after(R"(,"bytes_out":)", record_.bytes_out != 0,
          [&] { to_.number(static_cast<std::int64_t>(record_.bytes_out)); });
    after(R"(,"warnings":)", !record_.warnings.empty(), [&] { texts(record_.warnings); });
    after(R"(,"malformed_frames":)", record_.malformed_frames != 0,
          [&] { to_.number(record_.malformed_frames); });
    after(R"(,"rerouted_from":)", !record_.rerouted_from.empty(),
          [&] { text(record_.rerouted_from); });
    after(R"(,"continued_by":)", !record_.continued_by.empty(),
          [&] { text(record_.continued_by); });
    after(R"(,"continuation":)", !record_.continuation.empty(),
          [&] { word(record_.continuation); });
    after(R"(,"metadata":)", !record_.metadata_json.empty(), [&] { metadata(); });
    to_.literal("}");
}

void append(std::string& out, const RequestRecord& record, Form form) {
    const std::size_t begin = out.size();
    RecordWriter(out, record, form).write();
    if (const std::string_view written = std::string_view(out).substr(begin);
        json::find_invalid_utf8(written) != std::string_view::npos)
        out.replace(begin, std::string::npos, with_valid_utf8(written));
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
    append(out, record, Form::whole);
}

std::string record_json(const RequestRecord& record) {
    std::string out;
    append_record(out, record);
    return out;
}

void append_details(std::string& out, const RequestRecord& record) {
    append(out, record, Form::details);
}

void append_cost_lines(std::string& out, const RequestRecord& record) {
    QuickWriter to(out);
    to.literal("[");
    for (const CostLine& line : record.cost_lines) {
        if (&line != &record.cost_lines.front()) to.literal(",");
        to.literal(R"({"sku":)").string(line.sku);
        to.literal(R"(,"quantity":)").number(line.quantity);
        to.literal(R"(,"unit_price":)");
        write_unit_price(to, line.unit_price);
        to.literal(R"(,"amount_nano_usd":)").number(line.amount.nano_usd);
        if (!line.description.empty()) to.literal(R"(,"description":)").string(line.description);
        if (const std::string_view provenance = name_of(record.usage_provenance);
            !provenance.empty())
            to.literal(R"(,"provenance":)").word(provenance);
        to.literal("}");
    }
    to.literal("]");
}

}  // namespace runnel::telemetry
