#include "api/gemini/generation_config.hpp"

#include "api/gemini/schema.hpp"
#include "api/gemini/spelling.hpp"
#include "base/ascii.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

#include <cmath>

namespace runnel::api::gemini {
namespace {

using chat::OutputFormat;

constexpr std::size_t stop_sequences_max = 256;
constexpr std::int64_t logprobs_max = 20;
constexpr std::int64_t dynamic_budget = -1;  // as much as it likes

}  // namespace

Result<void> GenerationConfig::read(Value& config) {
    if (!config.is_object()) return config.must_be("an object");
    return for_each_named_field(
        config, [&](std::string_view name, Value& field) { return read_field(name, field); });
}

Result<void> GenerationConfig::read_field(std::string_view name, Value& field) {
    chat::Sampling& sampling = request_.sampling;
    if (name == "temperature") return read_number(field, sampling.temperature, 0, 2);
    if (name == "topP") return read_number(field, sampling.top_p, 0, 1);
    if (name == "topK") return read_number(field, sampling.top_k, 0, HUGE_VAL);
    if (name == "seed") return read_number(field, sampling.seed, -HUGE_VAL, HUGE_VAL);
    if (name == "presencePenalty") return read_number(field, sampling.presence_penalty, -2, 2);
    if (name == "frequencyPenalty") return read_number(field, sampling.frequency_penalty, -2, 2);
    if (name == "maxOutputTokens")
        return store(field.integer(0, limits::tokens_wish), request_.max_tokens);
    if (name == "candidateCount") return store(field.integer(1, limits::choices), request_.n);
    if (name == "stopSequences") return read_stop(field);
    if (name == "responseLogprobs") return read_wish(field, sampling.logprobs);
    if (name == "logprobs") return store(field.integer(0, logprobs_max), sampling.top_logprobs);
    if (name == "responseMimeType") return read_media_type(field);
    if (name == "responseSchema") return read_schema(field);
    if (name == "responseJsonSchema") {
        request_.output.kind = OutputFormat::Kind::json_schema;
        request_.output.name = "answer";
        return store(field.schema(), request_.output.schema_raw);
    }
    if (name == "thinkingConfig") return read_thinking(field);
    return keep_named(name, field, request_, request_.extras);
}

Result<void> GenerationConfig::read_number(const Value& value, std::optional<chat::Number>& into,
                                           double min, double max) {
    return store(value.number(min, max), into);
}

Result<void> GenerationConfig::read_stop(Value& value) {
    if (!value.is_array()) return value.must_be("an array of strings");
    request_.sampling.stop.clear();
    return value.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
        if (index == stop_sequences_max)
            return value.wrong(fmt::format("has more than {} sequences", stop_sequences_max));
        return store(element.text(), request_.sampling.stop.emplace_back());
    });
}

// A schema, before or after it, says more than that it is JSON.
Result<void> GenerationConfig::read_media_type(const Value& value) {
    auto type = value.text();
    if (!type) return propagate(type);
    OutputFormat& output = request_.output;
    if (*type == "application/json") {
        if (output.kind == OutputFormat::Kind::unsaid)
            output.kind = OutputFormat::Kind::json_object;
    } else if (*type == "text/plain" || type->empty()) {
        if (output.kind == OutputFormat::Kind::unsaid) output.kind = OutputFormat::Kind::text;
    } else {
        return value.wrong(fmt::format("is {}; it must be \"application/json\" or \"text/plain\"",
                                       in_quotes(*type)),
                           ErrorKind::unsupported_parameter);
    }
    return {};
}

Result<void> GenerationConfig::read_schema(const Value& value) {
    auto schema = value.schema();
    if (!schema) return propagate(schema);
    request_.output.kind = OutputFormat::Kind::json_schema;
    request_.output.name = "answer";
    request_.output.schema_raw = request_.keep(json_schema(*schema));
    return {};
}

Result<void> GenerationConfig::read_thinking(Value& value) {
    if (!value.is_object()) return value.must_be("an object");
    auto read = for_each_named_field(value, [&](std::string_view name, Value& field) {
        return read_thinking_field(name, field);
    });
    if (read) settle_thinking();
    return read;
}

Result<void> GenerationConfig::read_thinking_field(std::string_view name, Value& field) {
    chat::ReasoningWish& wish = request_.reasoning;
    if (name == "thinkingBudget")
        return store(field.integer(dynamic_budget, limits::tokens_wish), wish.budget_tokens);
    if (name == "includeThoughts") {
        auto shown = field.boolean();
        if (!shown) return propagate(shown);
        wish.show = *shown ? chat::ReasoningWish::Show::yes : chat::ReasoningWish::Show::no;
        return {};
    }
    if (name != "thinkingLevel") return {};
    auto word = field.text();
    if (!word) return propagate(word);
    if (*word == "THINKING_LEVEL_UNSPECIFIED") return {};
    wish.effort = chat::effort_named(ascii::lowered(*word));
    if (wish.effort) return {};
    return field.wrong(
        fmt::format("is {}; it must be one of MINIMAL, LOW, MEDIUM, HIGH", in_quotes(*word)));
}

void GenerationConfig::settle_thinking() {
    chat::ReasoningWish& wish = request_.reasoning;
    const std::optional<std::int64_t> budget = wish.budget_tokens;
    if (wish.effort || budget.value_or(dynamic_budget) <= 0) wish.budget_tokens.reset();
    if (wish.effort) return;
    if (budget == 0) {
        wish.effort = chat::Effort::none;
        wish.effort_is_implied = true;
    } else if (!wish.budget_tokens && (budget || wish.show == chat::ReasoningWish::Show::yes)) {
        // Who wants to see thoughts wants some.
        wish.effort = chat::Effort::medium;
        wish.effort_is_implied = true;
    }
}

}  // namespace runnel::api::gemini
