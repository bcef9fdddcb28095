#include "telemetry/trace_context.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <cmath>

namespace runnel::telemetry {
namespace {

// 00-<32 digits>-<16 digits>-<2 digits>
constexpr std::size_t version_at = 0;
constexpr std::size_t trace_at = 3;
constexpr std::size_t span_at = 36;
constexpr std::size_t flags_at = 53;
constexpr std::size_t length = 55;

constexpr std::uint64_t sampled_bit = 1;
constexpr std::uint64_t no_version = 0xFF;

constexpr int random_bits = 56;  // of a trace's id, at its end: Trace Context promises no more
constexpr std::uint64_t first_tool = std::uint64_t{1} << 32;  // numbers that no attempt has

// Digits with capital letters are not what the header has.
std::optional<std::uint64_t> read_hex(std::string_view digits) {
    std::uint64_t number = 0;
    for (const char c : digits) {
        const bool decimal = ascii::is_digit(c);
        if (!decimal && (c < 'a' || c > 'f')) return std::nullopt;
        number = number << 4 | static_cast<std::uint64_t>(decimal ? c - '0' : c - 'a' + 10);
    }
    return number;
}

// splitmix64: neighbours become strangers.
std::uint64_t mixed(std::uint64_t bits) {
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
    return bits ^ bits >> 31;
}

SpanId child_span(const TraceContext& request, std::uint64_t number) {
    const SpanId id = mixed(request.span + (number + 1) * 0x9E3779B97F4A7C15);
    return id == 0 ? 1 : id;
}

}  // namespace

std::optional<TraceParent> read_traceparent(std::string_view text) {
    if (text.size() < length) return std::nullopt;
    const auto version = read_hex(text.substr(version_at, 2));
    if (!version || *version == no_version) return std::nullopt;
    // Versions to come may have more fields behind these.
    if (text.size() > length && (*version == 0 || text[length] != '-')) return std::nullopt;
    for (const std::size_t field : {trace_at, span_at, flags_at})
        if (text[field - 1] != '-') return std::nullopt;
    const auto high = read_hex(text.substr(trace_at, 16));
    const auto low = read_hex(text.substr(trace_at + 16, 16));
    const auto span = read_hex(text.substr(span_at, 16));
    const auto flags = read_hex(text.substr(flags_at, 2));
    if (!high || !low || !span || !flags) return std::nullopt;
    if ((*high | *low) == 0 || *span == 0) return std::nullopt;
    return TraceParent{
        {*high, *low}, *span, (*flags & sampled_bit) != 0 ? Sampled::yes : Sampled::no};
}

std::string write_traceparent(const TraceParent& parent) {
    return fmt::format("00-{:016x}{:016x}-{:016x}-{}", parent.trace.high, parent.trace.low,
                       parent.span, parent.sampled == Sampled::yes ? "01" : "00");
}

std::string TraceContext::traceparent_of(SpanId child) const {
    return write_traceparent({trace, child, sampled});
}

NewIds random_ids() {
    NewIds ids;
    // Where there is no randomness there are no keys and no TLS either.
    RAND_bytes(reinterpret_cast<unsigned char*>(&ids), sizeof ids);
    if (ids.trace == TraceId{}) ids.trace.low = 1;
    if (ids.span == 0) ids.span = 1;
    return ids;
}

TraceContext begin_trace(const std::optional<TraceParent>& parent, double share,
                         const NewIds& ids) {
    if (parent) return {parent->trace, ids.span, parent->span, parent->sampled};
    const std::uint64_t drawn = ids.trace.low & ((std::uint64_t{1} << random_bits) - 1);
    const bool sampled = std::ldexp(static_cast<double>(drawn), -random_bits) < share;
    return {ids.trace, ids.span, 0, sampled ? Sampled::yes : Sampled::no};
}

SpanId attempt_span(const TraceContext& request, std::size_t number) {
    return child_span(request, number);
}

SpanId tool_span(const TraceContext& request, std::size_t number) {
    return child_span(request, first_tool + number);
}

std::string in_hex(const TraceId& id) { return fmt::format("{:016x}{:016x}", id.high, id.low); }

std::string in_hex(SpanId id) { return fmt::format("{:016x}", id); }

}  // namespace runnel::telemetry
