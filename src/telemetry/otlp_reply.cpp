#include "telemetry/otlp_reply.hpp"

#include "base/redact.hpp"
#include "base/utf8.hpp"
#include "json/tree.hpp"
#include "telemetry/request_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace runnel::telemetry {
namespace {

// What may go well later, says OTLP; whatever else it is will be the same the next time.
constexpr int passing_statuses[] = {429, 502, 503, 504};

std::optional<std::int64_t> read_number(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < 0) return std::nullopt;
    return number;
}

std::string shown(std::string_view text) {
    return std::string(utf8_prefix(redacted(with_valid_utf8(text)), attempt_detail_bytes));
}

// {"partialSuccess":{"rejectedSpans":"3","errorMessage":"…"}}
OtlpReply read_taken(std::string_view body) {
    OtlpReply reply;
    const auto tree = json::read_tree(body);
    const json::Node* partial = tree ? tree->find("partialSuccess") : nullptr;
    const json::Node* rejected = partial != nullptr ? partial->find("rejectedSpans") : nullptr;
    if (rejected == nullptr) return reply;
    // 64-bit numbers are text in OTLP's JSON; not everybody writes them so.
    const std::string count = rejected->is_string() ? rejected->text() : rejected->raw;
    reply.rejected_spans = read_number(count).value_or(0);
    const json::Node* message = partial->find("errorMessage");
    if (message != nullptr) reply.detail = shown(message->text());
    return reply;
}

}  // namespace

OtlpReply read_otlp_reply(int status, std::string_view retry_after, std::string_view body) {
    if (status >= 200 && status < 300) return read_taken(body);
    OtlpReply reply;
    const bool passing = std::ranges::find(passing_statuses, status) != std::end(passing_statuses);
    reply.kind = passing ? OtlpReply::Kind::try_again : OtlpReply::Kind::refused;
    // A date is another way to say it, which is not read: the usual pauses do as well.
    if (const auto seconds = passing ? read_number(retry_after) : std::nullopt)
        reply.after = std::chrono::seconds(std::min<std::int64_t>(*seconds, 3600));
    reply.detail = fmt::format("it answered with status {}", status);
    if (!body.empty()) reply.detail += fmt::format(": {}", shown(body));
    return reply;
}

}  // namespace runnel::telemetry
