#include "telemetry/request_metrics.hpp"

#include "base/error.hpp"

namespace runnel::telemetry {
namespace {

// Of one label.
void write_counts(MetricPage* page, std::string_view label, const RequestSums::Counts<1>& counts) {
    for (const auto& [values, count] : counts)
        page->value(static_cast<double>(count), {{label, values[0]}});
}

// Of two.
void write_counts(MetricPage* page, std::string_view first, std::string_view second,
                  const RequestSums::Counts<2>& counts) {
    for (const auto& [values, count] : counts)
        page->value(static_cast<double>(count), {{first, values[0]}, {second, values[1]}});
}

// Those that never were, too: from nothing to one is an increase that Prometheus can't see, from
// zero to one it can.
RequestSums::Counts<1> with_every_code(RequestSums::Counts<1> errors) {
    for (int kind = 0; kind <= static_cast<int>(ErrorKind::internal_error); ++kind)
        (void)errors.at({name_of(static_cast<ErrorKind>(kind))});
    return errors;
}

void write_models(const RequestSums& sums, MetricPage* page) {
    page->histogram("runnel_first_token_seconds",
                    "Time from a chat request's arrival to the first visible part of its answer");
    for (const auto& [labels, model] : sums.models)
        page->value(model.first_token, {{"model", labels[0]}, {"provider", labels[1]}});
    page->histogram("runnel_request_seconds", "Time from a chat request's arrival to its end");
    for (const auto& [labels, model] : sums.models)
        page->value(model.total, {{"model", labels[0]}, {"provider", labels[1]}});
    page->counter("runnel_tokens_total", "Tokens used, in kinds that do not overlap");
    for (const auto& [labels, model] : sums.models)
        for (std::size_t kind = 0; kind < model.tokens.size(); ++kind)
            page->value(static_cast<double>(model.tokens[kind]),
                        {{"model", labels[0]},
                         {"provider", labels[1]},
                         {"kind", ModelSums::kind_names[kind]}});
    page->counter("runnel_cost_usd_total",
                  "What was used, in US dollars, as far as prices are known");
    for (const auto& [labels, model] : sums.models)
        page->value(model.cost.usd(), {{"model", labels[0]}, {"provider", labels[1]}});
}

}  // namespace

void write_requests(const RequestSums& sums, MetricPage* page) {
    page->counter("runnel_requests_total", "Chat requests that are over");
    for (const auto& [labels, count] : sums.requests)
        page->value(static_cast<double>(count), {{"model", labels[0]},
                                                 {"provider", labels[1]},
                                                 {"dialect", labels[2]},
                                                 {"stream", labels[3]},
                                                 {"outcome", labels[4]}});
    write_models(sums, page);
    page->counter("runnel_http_requests_total", "HTTP requests of any kind that were answered");
    write_counts(page, "status", sums.http);
    page->counter("runnel_errors_total", "HTTP requests of any kind that ended in an error");
    write_counts(page, "code", with_every_code(sums.errors));
    page->counter("runnel_attempts_total", "Targets that were asked, and how that went");
    write_counts(page, "provider", "outcome", sums.attempts);
    page->counter("runnel_failovers_total",
                  "Times another target was asked because this provider failed");
    write_counts(page, "provider", sums.failovers);
    page->counter("runnel_retries_total", "Times the same target was asked again after it failed");
    write_counts(page, "provider", sums.retries);
    page->counter("runnel_hedges_total",
                  "Times this provider was asked too because another was slow");
    write_counts(page, "provider", sums.hedges);
    page->counter("runnel_cache_requests_total",
                  "Chat requests that could have been answered from the cache");
    write_counts(page, "result", sums.cache);
    page->counter("runnel_tool_runs_total", "Runs of tools by the gateway inside chat requests");
    write_counts(page, "tool", "outcome", sums.tools);
    page->counter("runnel_guardrail_hits_total",
                  "Chat requests in which a guardrail found something");
    write_counts(page, "guardrail", "action", sums.guardrails);
}

void write_streams(const StreamSums& sums, MetricPage* page) {
    page->gauge("runnel_streams_open", "Streamed chat requests that are under way")
        .value(static_cast<double>(sums.open));
    page->counter("runnel_pings_total", "Pings sent into silent streams")
        .value(static_cast<double>(sums.pings));
    page->histogram("runnel_chunk_gap_seconds", "Time between two pieces of a stream")
        .value(sums.gaps);
}

}  // namespace runnel::telemetry
