#include "telemetry/record_json.hpp"

#include "base/redact.hpp"
#include "base/utf8.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "telemetry/text_lengths.hpp"

#include <chrono>
#include <cstdlib>
#include <span>

namespace runnel::telemetry {
namespace {

using json::Literal;
using json::Writer;

void add_text(Writer& writer, Literal name, std::string_view value) {
    writer.key(name);
    if (value.empty()) {
        writer.null();
    } else {
        writer.string(utf8_prefix(value, client_text_bytes));
    }
}

// What a provider, a server or a client said, of which nobody knows what is in it.
void add_foreign_text(Writer& writer, Literal name, std::string_view value, std::size_t bytes_max) {
    writer.key(name);
    if (value.empty()) {
        writer.null();
    } else {
        // Masked first: half a credential does not look like one.
        writer.string(utf8_prefix(redacted(value), bytes_max));
    }
}

void add_texts(Writer& writer, Literal name, const std::vector<std::string>& values) {
    writer.key(name).begin_array();
    for (const std::string& value : values)
        writer.string(utf8_prefix(redacted(value), client_text_bytes));
    writer.end_array();
}

// Digits, a point and `places` more digits, without those that say nothing.
std::string_view decimal(std::int64_t value, int places, std::span<char, 32> digits) {
    char* const end = digits.data() + digits.size();
    char* at = end;
    auto rest = static_cast<std::uint64_t>(std::abs(value));
    bool is_fraction = false;
    for (int place = 0; place < places; ++place, rest /= 10) {
        const auto digit = static_cast<char>('0' + rest % 10);
        if (digit == '0' && !is_fraction) continue;
        is_fraction = true;
        *--at = digit;
    }
    if (is_fraction) *--at = '.';
    do *--at = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0) *--at = '-';
    return {at, static_cast<std::size_t>(end - at)};
}

void add_decimal(Writer& writer, Literal name, std::int64_t value, int places) {
    char digits[32];
    writer.key(name).raw(decimal(value, places, digits));
}

void add_ms(Writer& writer, Literal name, std::chrono::microseconds time) {
    add_decimal(writer, name, time.count(), 3);
}

// A time that 0 stands for "never" in.
void add_ms_or_null(Writer& writer, Literal name, std::chrono::microseconds time) {
    if (time.count() > 0) {
        add_ms(writer, name, time);
    } else {
        writer.key(name).null();
    }
}

void add_usd(Writer& writer, Literal name, Money amount) {
    add_decimal(writer, name, amount.nano_usd, 9);
}

void add_count(Writer& writer, Literal name, const std::optional<std::int64_t>& count) {
    writer.key(name);
    if (count) {
        writer.number(*count);
    } else {
        writer.null();
    }
}

// 2026-11-15T15:39:02.250Z
void add_time(Writer& writer, std::chrono::sys_time<std::chrono::milliseconds> time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    char text[24] = {};
    const auto put = [&](std::size_t at, std::int64_t value, int width) {
        for (; width-- > 0; value /= 10)
            text[at + static_cast<std::size_t>(width)] = static_cast<char>('0' + value % 10);
    };
    put(0, static_cast<int>(date.year()), 4);
    put(5, static_cast<unsigned>(date.month()), 2);
    put(8, static_cast<unsigned>(date.day()), 2);
    put(11, clock.hours().count(), 2);
    put(14, clock.minutes().count(), 2);
    put(17, clock.seconds().count(), 2);
    put(20, clock.subseconds().count(), 3);
    text[4] = text[7] = '-';
    text[10] = 'T';
    text[13] = text[16] = ':';
    text[19] = '.';
    text[23] = 'Z';
    writer.key("time").escaped({text, sizeof text});
    writer.key("time_ms").number(time.time_since_epoch().count());
}

// How it went, in one word.
std::string_view outcome_of(const RequestRecord& record) {
    if (record.error_kind == crashed_error) return "crashed";
    if (record.client_closed) return "client_closed";
    return record.error_kind.empty() && record.status < 400 ? "ok" : "error";
}

void add_error(Writer& writer, const RequestRecord& record) {
    writer.key("error");
    if (record.error_kind.empty()) {
        writer.null();
        return;
    }
    writer.begin_object().key("code").string(record.error_kind);
    add_foreign_text(writer, "detail", record.error_detail, detail_bytes);
    writer.end_object();
}

void add_attempts(Writer& writer, const std::vector<AttemptRecord>& attempts) {
    writer.key("attempts").begin_array();
    for (const AttemptRecord& attempt : attempts) {
        writer.begin_object();
        add_text(writer, "target", attempt.target);
        writer.key("key").number(static_cast<std::int64_t>(attempt.key));
        add_text(writer, "error", attempt.error);
        add_foreign_text(writer, "detail", attempt.detail, attempt_detail_bytes);
        add_ms_or_null(writer, "first_token_ms", attempt.first_token);
        add_ms(writer, "total_ms", attempt.total);
        writer.key("hedge").boolean(attempt.hedge).end_object();
    }
    writer.end_array();
}

void add_tools(Writer& writer, const std::vector<ToolRecord>& tools) {
    writer.key("tools").begin_array();
    for (const ToolRecord& tool : tools) {
        writer.begin_object();
        add_text(writer, "name", tool.name);
        add_foreign_text(writer, "error", tool.error, attempt_detail_bytes);
        add_ms(writer, "ms", tool.time);
        writer.end_object();
    }
    writer.end_array();
}

void add_usage(Writer& writer, const RequestRecord& record) {
    writer.key("usage");
    if (!record.usage) {
        writer.null();
        return;
    }
    const timeline::Usage& usage = *record.usage;
    writer.begin_object();
    writer.key("input").number(usage.input());
    writer.key("output").number(usage.output);
    add_count(writer, "cache_read", usage.cache_read);
    add_count(writer, "cache_write", usage.cache_write);
    add_count(writer, "reasoning", usage.reasoning);
    writer.key("total").number(usage.total());
    add_text(writer, "provenance", name_of(record.usage_provenance));
    writer.end_object();
}

void add_cost(Writer& writer, const RequestRecord& record) {
    writer.key("cost").begin_object();
    if (record.cost) {
        add_usd(writer, "usd", *record.cost);
    } else {
        writer.key("usd").null();
    }
    writer.key("lines").begin_array();
    for (const CostLine& line : record.cost_lines) {
        writer.begin_object();
        add_text(writer, "sku", line.sku);
        writer.key("quantity").number(line.quantity);
        writer.key("unit_price").real(line.unit_price);
        add_usd(writer, "amount_usd", line.amount);
        add_text(writer, "description", line.description);
        writer.end_object();
    }
    writer.end_array().end_object();
}

void add_timings(Writer& writer, const RequestRecord& record) {
    writer.key("timings_ms").begin_object();
    add_ms(writer, "queue", record.queued);
    add_ms(writer, "connect", record.connect);
    add_ms_or_null(writer, "first_token", record.first_event);
    add_ms(writer, "total", record.total);
    add_ms(writer, "longest_gap", record.longest_gap);
    writer.end_object();
}

// Masking may take a number away, which leaves text that is no JSON any more.
void add_metadata(Writer& writer, std::string_view metadata_json) {
    writer.key("metadata");
    if (metadata_json.empty()) {
        writer.null();
        return;
    }
    const std::string masked = redacted(metadata_json);
    std::string compact;
    if (json::is_whole(masked)) {
        json::append_compact(compact, masked);
        writer.raw(compact);
    } else {
        writer.string(masked);
    }
}

}  // namespace

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
    Writer writer(out);
    writer.begin_object();
    add_text(writer, "id", record.completion_id);
    add_text(writer, "request_id", record.request_id);
    add_time(writer, record.began);
    add_text(writer, "key_id", record.key_id);
    add_text(writer, "team", record.team);
    add_text(writer, "model", record.model_asked);
    add_text(writer, "model_served", record.model_served);
    add_text(writer, "provider", record.provider);
    add_text(writer, "dialect", record.dialect);
    writer.key("stream").boolean(record.stream);
    writer.key("outcome").string(outcome_of(record));
    writer.key("status").number(record.status);
    add_text(writer, "finish_reason", record.finish);
    add_error(writer, record);
    add_attempts(writer, record.attempts);
    writer.key("rounds").number(record.rounds);
    add_tools(writer, record.tools);
    add_usage(writer, record);
    add_cost(writer, record);
    add_text(writer, "cache", record.cache);
    add_texts(writer, "guardrails", record.guardrails);
    add_timings(writer, record);
    writer.key("client_closed").boolean(record.client_closed);
    add_text(writer, "client_address", record.client_address);
    writer.key("bytes_out").number(static_cast<std::int64_t>(record.bytes_out));
    add_texts(writer, "warnings", record.warnings);
    writer.key("malformed_frames").number(record.malformed_frames);
    add_text(writer, "rerouted_from", record.rerouted_from);
    add_text(writer, "continued_by", record.continued_by);
    add_text(writer, "continuation", record.continuation);
    add_metadata(writer, record.metadata_json);
    writer.end_object();
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
