#include "telemetry/request_sums.hpp"

#include "telemetry/record_json.hpp"

#include <fmt/format.h>

namespace runnel::telemetry {
namespace {

constexpr std::string_view no_label = "none";

std::string_view or_none(std::string_view label) { return label.empty() ? no_label : label; }

std::string_view provider_of(const AttemptRecord& attempt) {
    return std::string_view(attempt.target).substr(0, attempt.target.find('/'));
}

std::string_view result_of_cache(const RequestRecord& record) {
    if (record.cache == "HIT") return "hit";
    return record.cache == "MISS" ? "miss" : "bypass";
}

void add_usage(ModelSums& sums, const timeline::Usage& usage) {
    const std::int64_t reasoning = usage.reasoning.value_or(0);
    sums.tokens[ModelSums::input] += usage.fresh_input;
    sums.tokens[ModelSums::cache_read] += usage.cache_read.value_or(0);
    sums.tokens[ModelSums::cache_write] += usage.cache_write.value_or(0);
    sums.tokens[ModelSums::output] += usage.output - reasoning;
    sums.tokens[ModelSums::reasoning] += reasoning;
}

void add_attempts(RequestSums& sums, const std::vector<AttemptRecord>& attempts) {
    const AttemptRecord* before = nullptr;
    for (const AttemptRecord& attempt : attempts) {
        const std::string_view provider = provider_of(attempt);
        const std::string_view outcome =
            attempt.error.empty() ? "ok" : std::string_view(attempt.error);
        ++sums.attempts.at({provider, outcome});
        if (attempt.hedge) {
            ++sums.hedges.at({provider});
        } else if (before != nullptr && !before->error.empty()) {
            auto& counts = before->target == attempt.target ? sums.retries : sums.failovers;
            ++counts.at({provider_of(*before)});
        }
        before = &attempt;
    }
}

// "cards: redact"
void add_guardrails(RequestSums& sums, const std::vector<std::string>& hits) {
    for (const std::string_view hit : hits) {
        const std::size_t colon = hit.rfind(": ");
        if (colon != std::string_view::npos)
            ++sums.guardrails.at({hit.substr(0, colon), hit.substr(colon + 2)});
    }
}

}  // namespace

ModelSums& ModelSums::operator+=(const ModelSums& other) {
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] += other.tokens[i];
    cost += other.cost;
    first_token += other.first_token;
    total += other.total;
    return *this;
}

void RequestSums::add(const RequestRecord& record) {
    const auto status = fmt::format_int(record.status);
    ++http.at({std::string_view(status.data(), status.size())});
    if (!record.error_kind.empty()) ++errors.at({record.error_kind});
}

void RequestSums::add_chat(const RequestRecord& record, std::string_view model) {
    const std::string_view provider = or_none(record.provider);
    ++requests.at({model, provider, or_none(record.dialect), record.stream ? "true" : "false",
                   outcome_of(record)});
    ModelSums& sums = models.at({model, provider});
    // What comes from the cache was used before.
    if (record.usage && record.cache != "HIT") add_usage(sums, *record.usage);
    if (record.cost) sums.cost += *record.cost;
    if (record.first_event.count() > 0) sums.first_token.add(record.first_event);
    sums.total.add(record.total);
    add_attempts(*this, record.attempts);
    if (!record.cache.empty()) ++cache.at({result_of_cache(record)});
    for (const ToolRecord& tool : record.tools)
        ++tools.at({tool.name, tool.error.empty() ? "ok" : "error"});
    add_guardrails(*this, record.guardrails);
}

RequestSums& RequestSums::operator+=(const RequestSums& other) {
    http += other.http;
    errors += other.errors;
    requests += other.requests;
    models += other.models;
    attempts += other.attempts;
    failovers += other.failovers;
    retries += other.retries;
    hedges += other.hedges;
    cache += other.cache;
    tools += other.tools;
    guardrails += other.guardrails;
    return *this;
}

}  // namespace runnel::telemetry
