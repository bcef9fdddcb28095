#include "telemetry/record_json.hpp"

#include "base/redact.hpp"
#include "base/utc_time.hpp"
#include "base/utf8.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace runnel::telemetry {
namespace {

using json::Literal;

enum class Form {
    whole,    // all members, always
    details,  // those that say something which the ledger's columns don't
};

class RecordWriter {
public:
    RecordWriter(std::string& out, const RequestRecord& record, Form form)
        : to_(out),
          record_(record),
          is_whole_(form == Form::whole) {}

    // All members, without the braces around them.
    void write();

private:
    // A member that may be left out where it says nothing.
    void optional(Literal name, bool says_something, auto write_value) {
        if (!is_whole_ && !says_something) return;
        to_.key(name);
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

    json::Writer to_;
    const RequestRecord& record_;
    const bool is_whole_;
};

void write_usd(json::Writer& to, Money amount) { to.decimal(amount.nano_usd, 9); }
// Prices have few digits, so fifteen places are enough for those of tokens.
void write_unit_price(json::Writer& to, double usd) {
    to.decimal(std::llround(std::clamp(usd, -1000.0, 1000.0) * 1e15), 15);
}

void RecordWriter::word(std::string_view value) {
    if (value.empty()) {
        to_.null();
    } else {
        to_.escaped(value);
    }
}

void RecordWriter::text(std::string_view value, std::size_t bytes_max) {
    if (value.empty()) {
        to_.null();
    } else {
        to_.string(utf8_prefix(value, bytes_max));
    }
}

void RecordWriter::foreign_text(std::string_view value, std::size_t bytes_max) {
    // Masked before it is cut: half a credential does not look like one.
    text(value.empty() ? std::string() : redacted(value), bytes_max);
}

void RecordWriter::texts(const std::vector<std::string>& values) {
    to_.begin_array();
    for (const std::string& value : values)
        to_.string(utf8_prefix(redacted(value), client_text_bytes));
    to_.end_array();
}

void RecordWriter::count(const std::optional<std::int64_t>& value) {
    if (value) {
        to_.number(*value);
    } else {
        to_.null();
    }
}

void RecordWriter::ms_or_null(std::chrono::microseconds time) {
    if (time.count() > 0) {
        ms(time);
    } else {
        to_.null();
    }
}

void RecordWriter::error() {
    if (record_.error_kind.empty()) {
        to_.null();
        return;
    }
    to_.begin_object();
    if (is_whole_) to_.key("code").string(record_.error_kind);
    to_.key("detail");
    foreign_text(record_.error_detail, detail_bytes);
    to_.end_object();
}

void RecordWriter::attempt(const AttemptRecord& attempt) {
    to_.begin_object();
    optional("target", attempt.target != record_.model_served, [&] { text(attempt.target); });
    optional("key", attempt.key != 0, [&] { to_.number(static_cast<std::int64_t>(attempt.key)); });
    optional("error", !attempt.error.empty(), [&] { word(attempt.error); });
    optional("detail", !attempt.detail.empty(),
             [&] { foreign_text(attempt.detail, attempt_detail_bytes); });
    optional("started_ms", attempt.started.count() != 0, [&] { ms(attempt.started); });
    optional("first_token_ms", attempt.first_token.count() > 0,
             [&] { ms_or_null(attempt.first_token); });
    to_.key("total_ms");
    ms(attempt.total);
    optional("hedge", attempt.hedge, [&] { to_.boolean(attempt.hedge); });
    to_.end_object();
}

void RecordWriter::attempts() {
    to_.begin_array();
    for (const AttemptRecord& one : record_.attempts) attempt(one);
    to_.end_array();
}

void RecordWriter::tools() {
    to_.begin_array();
    for (const ToolRecord& tool : record_.tools) {
        to_.begin_object().key("name");
        text(tool.name);
        to_.key("error");
        foreign_text(tool.error, attempt_detail_bytes);
        to_.key("started_ms");
        ms(tool.started);
        to_.key("ms");
        ms(tool.time);
        to_.end_object();
    }
    to_.end_array();
}

void RecordWriter::usage() {
    if (!record_.usage) {
        to_.null();
        return;
    }
    const timeline::Usage& usage = *record_.usage;
    to_.begin_object();
    if (is_whole_) to_.key("input").number(usage.input()).key("output").number(usage.output);
    optional("cache_read", usage.cache_read.has_value(), [&] { count(usage.cache_read); });
    optional("cache_write", usage.cache_write.has_value(), [&] { count(usage.cache_write); });
    optional("reasoning", usage.reasoning.has_value(), [&] { count(usage.reasoning); });
    if (is_whole_) to_.key("total").number(usage.total());
    to_.key("provenance");
    word(name_of(record_.usage_provenance));
    to_.end_object();
}

void RecordWriter::cost() {
    to_.begin_object().key("usd");
    if (record_.cost) {
        write_usd(to_, *record_.cost);
    } else {
        to_.null();
    }
    to_.key("lines").begin_array();
    for (const CostLine& line : record_.cost_lines) {
        to_.begin_object().key("sku");
        text(line.sku);
        to_.key("quantity").number(line.quantity).key("unit_price");
        write_unit_price(to_, line.unit_price);
        to_.key("amount_usd");
        write_usd(to_, line.amount);
        to_.key("description");
        text(line.description);
        to_.end_object();
    }
    to_.end_array().end_object();
}

void RecordWriter::timings() {
    to_.begin_object();
    optional("first_token", record_.first_event.count() > 0,
             [&] { ms_or_null(record_.first_event); });
    to_.key("total");
    ms(record_.total);
    optional("longest_gap", record_.longest_gap.count() != 0, [&] { ms(record_.longest_gap); });
    to_.end_object();
}

// Masking may take a number away, which leaves text that is no JSON any more.
void RecordWriter::metadata() {
    if (record_.metadata_json.empty()) {
        to_.null();
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
    to_.key("id");
    text(record_.completion_id);
    to_.key("request_id");
    text(record_.request_id);
    to_.key("time").escaped(write_utc_time(record_.began));
    to_.key("time_ms").number(record_.began.time_since_epoch().count()).key("key_id");
    text(record_.key_id);
    to_.key("team");
    text(record_.team);
    to_.key("model");
    text(record_.model_asked);
    to_.key("model_served");
    text(record_.model_served);
    to_.key("provider");
    text(record_.provider);
}

void RecordWriter::how_it_went() {
    to_.key("stream").boolean(record_.stream).key("outcome");
    word(outcome_of(record_));
    to_.key("status").number(record_.status).key("finish_reason");
    word(record_.finish);
}

void RecordWriter::write() {
    if (is_whole_) who_asked();
    optional("dialect", !record_.dialect.empty(), [&] { word(record_.dialect); });
    if (is_whole_) how_it_went();
    optional("error", !record_.error_detail.empty(), [&] { error(); });
    optional("attempts", !record_.attempts.empty(), [&] { attempts(); });
    optional("rounds", record_.rounds != 0, [&] { to_.number(record_.rounds); });
    optional("tools", !record_.tools.empty(), [&] { tools(); });
    optional("usage", record_.usage.has_value(), [&] { usage(); });
    if (is_whole_) optional("cost", true, [&] { cost(); });
    optional("cache", !record_.cache.empty(), [&] { word(record_.cache); });
    optional("guardrails", !record_.guardrails.empty(), [&] { texts(record_.guardrails); });
    to_.key("timings_ms");
    timings();
    optional("client_closed", record_.client_closed, [&] { to_.boolean(record_.client_closed); });
    optional("client_address", !record_.client_address.empty(),
             [&] { text(record_.client_address); });
    optional("bytes_out", record_.bytes_out != 0,
             [&] { to_.number(static_cast<std::int64_t>(record_.bytes_out)); });
    optional("warnings", !record_.warnings.empty(), [&] { texts(record_.warnings); });
    optional("malformed_frames", record_.malformed_frames != 0,
             [&] { to_.number(record_.malformed_frames); });
    optional("rerouted_from", !record_.rerouted_from.empty(), [&] { text(record_.rerouted_from); });
    optional("continued_by", !record_.continued_by.empty(), [&] { text(record_.continued_by); });
    optional("continuation", !record_.continuation.empty(), [&] { word(record_.continuation); });
    optional("metadata", !record_.metadata_json.empty(), [&] { metadata(); });
}

void append(std::string& out, const RequestRecord& record, Form form) {
    const std::size_t begin = out.size();
    out += '{';  // what is before it is nothing that a comma belongs behind
    RecordWriter(out, record, form).write();
    out += '}';
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
    out += '[';
    json::Writer to(out);
    for (const CostLine& line : record.cost_lines) {
        to.begin_object().key("sku").string(line.sku).key("quantity").number(line.quantity);
        to.key("unit_price");
        write_unit_price(to, line.unit_price);
        to.key("amount_nano_usd").number(line.amount.nano_usd);
        if (!line.description.empty()) to.key("description").string(line.description);
        if (const std::string_view provenance = name_of(record.usage_provenance);
            !provenance.empty())
            to.key("provenance").escaped(provenance);
        to.end_object();
    }
    out += ']';
}

}  // namespace runnel::telemetry
