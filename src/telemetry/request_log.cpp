#include "telemetry/request_log.hpp"

#include "base/redact.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace runnel::telemetry {
namespace {

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

// "openai/gpt-5-mini upstream_overloaded 12 ms: Overloaded"
std::string in_words(const AttemptRecord& attempt) {
    std::string text = attempt.target;
    if (attempt.key > 0) text += fmt::format(" key {}", attempt.key + 1);
    if (attempt.hedge) text += " hedge";
    text += fmt::format(" {} {} ms", attempt.error.empty() ? "answered" : attempt.error,
                        attempt.total.count());
    if (!attempt.detail.empty())
        text += fmt::format(": {}", utf8_prefix(redacted(attempt.detail), attempt_detail_bytes));
    return text;
}

// How it came to its end is worth the words only where it did not simply go well.
void add_attempts(log::Line& line, const RequestRecord& record) {
    if (record.attempts.size() < 2) return;
    std::vector<std::string> texts;
    for (const AttemptRecord& attempt : record.attempts) texts.push_back(in_words(attempt));
    line.add("attempts", record.attempts.size());
    line.add("asked", texts);
}

// How many tools ran in how many rounds, and which of them failed.
void add_tools(log::Line& line, const RequestRecord& record) {
    if (record.rounds == 0) return;
    std::vector<std::string> failed;
    for (const ToolRecord& tool : record.tools)
        if (!tool.error.empty())
            failed.push_back(
                fmt::format("{} {} {} ms", tool.name, tool.error, tool.time.count() / 1000));
    line.add("rounds", record.rounds);
    line.add("tools", record.tools.size());
    if (!failed.empty()) line.add("tools_failed", failed);
}

log::Level level_of(const RequestRecord& record) {
    const bool clients_fault = record.status >= 400 && record.status < 500;
    const bool failed = record.status >= 500 || !record.error_kind.empty();
    return failed && !clients_fault ? log::Level::warning : log::Level::info;
}

}  // namespace

std::chrono::milliseconds age_of(const RequestRecord& record) {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                         record.born);
}

log::Line& describe(const RequestRecord& record, log::Line& line) {
    // Some clients put their key into the query.
    const std::string_view path = std::string_view(record.path).substr(0, record.path.find('?'));
    add_text(line, "request_id", record.request_id);
    add_text(line, "completion_id", record.completion_id);
    if (record.trace.is_told()) line.add("trace_id", in_hex(record.trace.trace));
    add_text(line, "method", record.method);
    add_text(line, "path", path);
    line.add("status", record.status);
    add_text(line, "key", record.key_id);
    // What was refused may be a key in the wrong place.
    add_text(line, "model",
             record.error_kind.empty() ? record.model_asked : redacted(record.model_asked));
    if (record.model_served != record.model_asked) add_text(line, "served", record.model_served);
    add_text(line, "provider", record.provider);
    add_text(line, "dialect", record.dialect);
    line.add("stream", record.stream);
    add_text(line, "finish", record.finish);
    add_text(line, "error", record.error_kind);
    if (!record.error_detail.empty())
        line.add("detail", utf8_prefix(redacted(record.error_detail), detail_bytes));
    if (record.client_closed) line.add("client_closed", true);
    add_attempts(line, record);
    add_text(line, "rerouted_from", record.rerouted_from);
    add_text(line, "continued_by", record.continued_by);
    add_text(line, "continuation", record.continuation);
    add_tools(line, record);
    if (record.malformed_frames > 0) line.add("malformed_frames", record.malformed_frames);
    if (record.usage) add_usage(line, *record.usage);
    if (record.first_event.count() > 0) line.add("first_ms", record.first_event);
    line.add("total_ms", record.total);
    line.add("bytes", record.bytes_out);
    if (!record.guardrails.empty()) line.add("guardrails", record.guardrails);
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
