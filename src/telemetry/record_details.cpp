#include "telemetry/record_details.hpp"

#include "json/fields.hpp"
#include "json/parser.hpp"
#include "telemetry/record_json.hpp"

#include <cmath>
#include <string>

namespace runnel::telemetry {
namespace {

using json::ondemand::value;
using Microseconds = std::chrono::microseconds;

Microseconds time_of(value from) {
    double ms = 0;
    if (from.get_double().get(ms)) return {};
    return Microseconds(std::llround(ms * 1000));
}

std::chrono::milliseconds whole_ms_of(value from) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time_of(from));
}

template <class Number>
void read_number(value from, Number& to) {
    std::int64_t number = 0;
    if (json::integer(from, number)) to = static_cast<Number>(number);
}

void read_texts(value from, std::vector<std::string>& to) {
    (void)json::for_each_element(
        from, [&](value text) { (void)json::plain_string(text, to.emplace_back()); });
}

AttemptRecord attempt_of(value from, const RequestRecord& record) {
    AttemptRecord attempt{.target = record.model_served};
    (void)json::for_each_field(from, [&](std::string_view name, value part) {
        if (name == "target" && !json::plain_string(part, attempt.target)) attempt.target.clear();
        if (name == "key") read_number(part, attempt.key);
        if (name == "error") (void)json::plain_string(part, attempt.error);
        if (name == "detail") (void)json::plain_string(part, attempt.detail);
        if (name == "started_ms") attempt.started = whole_ms_of(part);
        if (name == "first_token_ms") attempt.first_token = whole_ms_of(part);
        if (name == "total_ms") attempt.total = whole_ms_of(part);
        if (name == "hedge") attempt.hedge = json::is_true(part);
    });
    return attempt;
}

ToolRecord tool_of(value from) {
    ToolRecord tool;
    (void)json::for_each_field(from, [&](std::string_view name, value part) {
        if (name == "name") (void)json::plain_string(part, tool.name);
        if (name == "error") (void)json::plain_string(part, tool.error);
        if (name == "started_ms") tool.started = whole_ms_of(part);
        if (name == "ms") tool.time = time_of(part);
    });
    return tool;
}

RequestRecord::Provenance provenance_of(value from) {
    using enum RequestRecord::Provenance;
    std::string name;
    (void)json::plain_string(from, name);
    for (const RequestRecord::Provenance known : {reported, estimated})
        if (name == name_of(known)) return known;
    return none;
}

void read_usage(value from, RequestRecord& record) {
    timeline::Usage usage;
    (void)json::for_each_field(from, [&](std::string_view name, value part) {
        if (json::is_null(part)) return;
        if (name == "cache_read") read_number(part, usage.cache_read.emplace());
        if (name == "cache_write") read_number(part, usage.cache_write.emplace());
        if (name == "reasoning") read_number(part, usage.reasoning.emplace());
        if (name == "provenance") record.usage_provenance = provenance_of(part);
    });
    record.usage = usage;
}

void read_timings(value from, RequestRecord& record) {
    (void)json::for_each_field(from, [&](std::string_view name, value part) {
        if (name == "first_token") record.first_event = time_of(part);
        if (name == "total") record.total = time_of(part);
        if (name == "longest_gap") record.longest_gap = time_of(part);
    });
}

void read_metadata(value from, std::string& to) {
    std::string_view raw;
    if (json::is_null(from) || json::plain_string(from, to)) return;
    if (json::raw_value(from, raw)) to = raw;
}

void read_member(std::string_view name, value from, RequestRecord& record) {
    if (name == "dialect") (void)json::plain_string(from, record.dialect);
    if (name == "error")
        (void)json::for_each_field(from, [&](std::string_view part_name, value part) {
            if (part_name == "detail") (void)json::plain_string(part, record.error_detail);
        });
    if (name == "attempts")
        (void)json::for_each_element(
            from, [&](value one) { record.attempts.push_back(attempt_of(one, record)); });
    if (name == "rounds") read_number(from, record.rounds);
    if (name == "tools")
        (void)json::for_each_element(from,
                                     [&](value one) { record.tools.push_back(tool_of(one)); });
    if (name == "usage" && !json::is_null(from)) read_usage(from, record);
    if (name == "cache") (void)json::plain_string(from, record.cache);
    if (name == "guardrails") read_texts(from, record.guardrails);
    if (name == "timings_ms") read_timings(from, record);
    if (name == "client_closed") record.client_closed = json::is_true(from);
    if (name == "client_address") (void)json::plain_string(from, record.client_address);
    if (name == "bytes_out") read_number(from, record.bytes_out);
    if (name == "warnings") read_texts(from, record.warnings);
    if (name == "malformed_frames") read_number(from, record.malformed_frames);
    if (name == "rerouted_from") (void)json::plain_string(from, record.rerouted_from);
    if (name == "continued_by") (void)json::plain_string(from, record.continued_by);
    if (name == "continuation") (void)json::plain_string(from, record.continuation);
    if (name == "metadata") read_metadata(from, record.metadata_json);
}

CostLine line_of(value from) {
    CostLine line;
    (void)json::for_each_field(from, [&](std::string_view name, value part) {
        if (name == "sku") (void)json::plain_string(part, line.sku);
        if (name == "quantity") read_number(part, line.quantity);
        if (name == "unit_price") (void)part.get_double().get(line.unit_price);
        if (name == "amount_nano_usd") read_number(part, line.amount.nano_usd);
        if (name == "description") (void)json::plain_string(part, line.description);
    });
    return line;
}

// Calls `read` with the document's value.
void read_document(std::string_view json, auto read) {
    json::Parser parser;
    json::ondemand::document document;
    value all;
    std::string text(json);
    if (parser.parse(Padded::of(text), document) || document.get_value().get(all)) return;
    read(all);
}

}  // namespace

void read_details(std::string_view json, std::int64_t tokens_read, std::int64_t tokens_written,
                  RequestRecord& record) {
    read_document(json, [&](value all) {
        (void)json::for_each_field(
            all, [&](std::string_view name, value part) { read_member(name, part, record); });
    });
    if (!record.usage) return;
    record.usage->fresh_input = tokens_read - record.usage->input();
    record.usage->output = tokens_written;
}

void read_cost_lines(std::string_view json, RequestRecord& record) {
    read_document(json, [&](value all) {
        (void)json::for_each_element(all,
                                     [&](value one) { record.cost_lines.push_back(line_of(one)); });
    });
}

}  // namespace runnel::telemetry
