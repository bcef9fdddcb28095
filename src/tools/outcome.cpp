#include "tools/outcome.hpp"

#include "base/utf8.hpp"
#include "json/writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace runnel::tools {
namespace {

constexpr std::size_t cut_note_bytes = 64;  // room for the sentence that says it was cut

std::string bounded(std::string text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    text.resize(utf8_prefix(text, bytes_max - std::min(bytes_max, cut_note_bytes)).size());
    return std::move(text) + "\n[cut here: there is more]";
}

ToolOutcome with_text(ToolOutcome::Kind kind, std::string text) {
    ToolOutcome outcome{kind, std::move(text), {}};
    json::Writer(outcome.result_json).string(outcome.text);
    return outcome;
}

}  // namespace

ToolOutcome completed_with_text(std::string text, const ToolLimits& limits) {
    return with_text(ToolOutcome::Kind::completed,
                     bounded(with_valid_utf8(text), limits.result_bytes));
}

ToolOutcome completed_with_json(std::string json, const ToolLimits& limits) {
    if (json.size() > limits.result_bytes) return completed_with_text(std::move(json), limits);
    return {ToolOutcome::Kind::completed, json, json};
}

ToolOutcome failed_with(std::string text) {
    return with_text(ToolOutcome::Kind::failed, with_valid_utf8(text));
}

ToolOutcome failed_because(const Error& error, const http::Stop& stop, const ToolLimits& limits) {
    using Reason = http::Stop::Reason;
    if (stop.reason() == Reason::total_timeout)
        return failed_with(fmt::format("there was no answer within {}", limits.time));
    if (stop.requested()) return failed_with("stopped");
    return failed_with(error.message);
}

}  // namespace runnel::tools
