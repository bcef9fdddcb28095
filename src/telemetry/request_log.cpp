#include "telemetry/request_log.hpp"

#include "base/redact.hpp"
#include "base/utf8.hpp"

#include <string_view>

namespace runnel::telemetry {
namespace {

constexpr std::size_t client_text_bytes = 200;  // of what a client made up: a path, a model's name
constexpr std::size_t detail_bytes = 1000;

void add_text(log::Line& line, std::string_view name, std::string_view value) {
    if (!value.empty()) line.add(name, utf8_prefix(value, client_text_bytes));
}

void add_count(log::Line& line, std::string_view name, const std::optional<std::int64_t>& count) {
    if (count) line.add(name, *count);
}

void add_usage(log::Line& line, const timeline::Usage& usage) {
    line.add("input_tokens", usage.input());
    line.add("output_tokens", usage.output);
    add_count(line, "cache_read_tokens", usage.cache_read);
    add_count(line, "cache_write_tokens", usage.cache_write);
    add_count(line, "reasoning_tokens", usage.reasoning);
}

log::Level level_of(const RequestRecord& record) {
    const bool clients_fault = record.status >= 400 && record.status < 500;
    const bool failed = record.status >= 500 || !record.error_kind.empty();
    return failed && !clients_fault ? log::Level::warning : log::Level::info;
}

}  // namespace

log::Line& describe(const RequestRecord& record, log::Line& line) {
    // Some clients put their key into the query.
    const std::string_view path = std::string_view(record.path).substr(0, record.path.find('?'));
    add_text(line, "request_id", record.request_id);
    add_text(line, "completion_id", record.completion_id);
    add_text(line, "method", record.method);
    add_text(line, "path", path);
    line.add("status", record.status);
    add_text(line, "model", record.model_asked);
    if (record.model_served != record.model_asked) add_text(line, "served", record.model_served);
    add_text(line, "provider", record.provider);
    add_text(line, "dialect", record.dialect);
    line.add("stream", record.stream);
    add_text(line, "finish", record.finish);
    add_text(line, "error", record.error_kind);
    if (!record.error_detail.empty())
        line.add("detail", utf8_prefix(redacted(record.error_detail), detail_bytes));
    if (record.client_closed) line.add("client_closed", true);
    if (record.usage) add_usage(line, *record.usage);
    if (record.first_event.count() > 0) line.add("first_ms", record.first_event);
    line.add("total_ms", record.total);
    line.add("bytes", record.bytes_out);
    if (!record.warnings.empty()) line.add("warnings", record.warnings);
    return line;
}

void log_request(const RequestRecord& record) {
    const log::Level level = level_of(record);
    if (!log::enabled(level)) return;
    log::Line line(level, "request");
    describe(record, line).write();
}

}  // namespace runnel::telemetry
