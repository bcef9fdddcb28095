#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::telemetry {

struct TraceId {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    friend bool operator==(const TraceId&, const TraceId&) = default;
};

using SpanId = std::uint64_t;  // 0 is nobody's

// Whether what happens in a trace is told to a collector.
enum class Sampled { no, yes };

// What whoever asks says of itself, in the header `traceparent` of W3C Trace Context.
struct TraceParent {
    TraceId trace{};
    SpanId span = 0;
    Sampled sampled = Sampled::no;

    friend bool operator==(const TraceParent&, const TraceParent&) = default;
};

// Nothing where it can't be read: then nobody knows of a trace.
std::optional<TraceParent> read_traceparent(std::string_view text);
std::string write_traceparent(const TraceParent& parent);

// A request's place in a trace.
struct TraceContext {
    TraceId trace{};
    SpanId span = 0;    // the request's own; 0: it is in none
    SpanId parent = 0;  // of whoever asked; 0: the trace begins here
    Sampled sampled = Sampled::no;

    bool exists() const { return span != 0; }
    bool is_told() const { return sampled == Sampled::yes; }
    // What one of its children says of itself to whom it asks.
    std::string traceparent_of(SpanId child) const;
};

// Ids for a trace that begins, or a span in one.
struct NewIds {
    TraceId trace{};
    SpanId span = 0;
};
NewIds random_ids();

// Goes on with the caller's trace, sampled as the caller's is; without one a new trace begins, and
// `share` of those, from 0 to 1, are sampled. Whoever sees the same trace and samples the same
// share decides the same.
TraceContext begin_trace(const std::optional<TraceParent>& parent, double share, const NewIds& ids);

// The ids of a request's children follow from its own, so that nobody has to remember them.
SpanId attempt_span(const TraceContext& request, std::size_t number);
SpanId tool_span(const TraceContext& request, std::size_t number);

// In small hexadecimal digits.
std::string in_hex(const TraceId& id);
std::string in_hex(SpanId id);

}  // namespace runnel::telemetry
