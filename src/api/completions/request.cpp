#include "api/completions/request.hpp"

#include "api/request_body.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace runnel::api::completions {
namespace {

constexpr std::int64_t logprobs_max = 20;

struct Reading {
    chat::Request& request;
    std::optional<std::string_view> prompt_escaped{};
    std::optional<std::int64_t> best_of{};
};

std::unexpected<Error> no_tokens(const Value& value) {
    return value.wrong("is in tokens, which only one model could read; send it as text",
                       ErrorKind::unsupported_parameter);
}

// A text, or an array of one. Others would be several requests.
Result<void> read_prompt(Reading& reading, Value& value) {
    if (value.is_string()) return store(value.escaped(), reading.prompt_escaped);
    if (!value.is_array()) return value.must_be("a string or an array of one");
    return value.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
        if (!element.is_string()) return no_tokens(value);
        if (index > 0)
            return value.wrong("has several texts; send a request for each of them",
                               ErrorKind::unsupported_parameter);
        return store(element.escaped(), reading.prompt_escaped);
    });
}

// How many tokens are told beside each that was said, which itself is told even with 0.
Result<void> read_logprobs(Reading& reading, Value& value) {
    auto count = value.integer(0, logprobs_max);
    if (!count) return propagate(count);
    reading.request.sampling.logprobs = chat::Wish::yes;
    if (*count > 0) reading.request.sampling.top_logprobs = *count;
    return {};
}

Result<void> read_stream_options(Reading& reading, Value& value) {
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        return name == "include_usage" ? read_wish(field, reading.request.include_usage)
                                       : Result<void>();
    });
}

// The answer begins with the prompt: whoever writes it looks for the extra.
Result<void> read_echo(Reading& reading, Value& value) {
    auto wish = value.boolean();
    if (!wish) return propagate(wish);
    return keep_extra(value, reading.request, reading.request.extras);
}

Result<void> read_logit_bias(Reading& reading, Value& value) {
    if (!value.is_object()) return value.must_be("an object of numbers by token");
    reading.request.sampling.logit_bias_raw = value.raw();
    return {};
}

template <std::optional<chat::Number> chat::Sampling::* member>
Result<void> read_number(Reading& reading, const Value& value, double min, double max) {
    return store(value.number(min, max), reading.request.sampling.*member);
}

using chat::Sampling;
using Field = KnownField<Reading>;
constexpr std::array known_fields{
    Field{"model", [](Reading& r, Value& v) { return store(read_model_name(v), r.request.model); }},
    Field{"prompt", read_prompt},
    Field{"stream", [](Reading& r, Value& v) { return read_streaming(v, r.request.streaming); }},
    Field{"stream_options", read_stream_options},
    Field{"max_tokens",
          [](Reading& r, Value& v) {
              return store(v.integer(1, limits::tokens_wish), r.request.max_tokens);
          }},
    Field{"n",
          [](Reading& r, Value& v) {
              return store(v.integer(1, std::int64_t{limits::choices}), r.request.n);
          }},
    Field{"best_of",
          [](Reading& r, Value& v) {
              return store(v.integer(1, std::int64_t{limits::choices}), r.best_of);
          }},
    Field{"echo", read_echo},
    Field{"logprobs", read_logprobs},
    Field{"temperature",
          [](Reading& r, Value& v) { return read_number<&Sampling::temperature>(r, v, 0, 2); }},
    Field{"top_p", [](Reading& r, Value& v) { return read_number<&Sampling::top_p>(r, v, 0, 1); }},
    Field{"top_k",
          [](Reading& r, Value& v) { return read_number<&Sampling::top_k>(r, v, -1, HUGE_VAL); }},
    Field{"min_p", [](Reading& r, Value& v) { return read_number<&Sampling::min_p>(r, v, 0, 1); }},
    Field{
        "presence_penalty",
        [](Reading& r, Value& v) { return read_number<&Sampling::presence_penalty>(r, v, -2, 2); }},
    Field{"frequency_penalty",
          [](Reading& r, Value& v) {
              return read_number<&Sampling::frequency_penalty>(r, v, -2, 2);
          }},
    Field{"seed", [](Reading& r,
                     Value& v) { return read_number<&Sampling::seed>(r, v, -HUGE_VAL, HUGE_VAL); }},
    Field{"stop", [](Reading& r, Value& v) { return read_stop(v, r.request.sampling.stop); }},
    Field{"logit_bias", read_logit_bias},
    Field{"user", [](Reading& r, Value& v) { return store(v.text(), r.request.user); }},
};

Result<void> settle(Reading& reading) {
    chat::Request& request = reading.request;
    if (!reading.prompt_escaped)
        return fail_at(ErrorKind::missing_required_field, "prompt",
                       "the request needs a prompt: the text to go on with");
    if (reading.best_of && *reading.best_of != request.choices())
        return fail_at(ErrorKind::unsupported_parameter, "best_of",
                       fmt::format("best_of is {} and n is {}; they must be the same: no answers "
                                   "are made that are not told",
                                   *reading.best_of, request.choices()));
    chat::Message& message = request.messages.emplace_back();
    message.form = chat::Message::Form::string;
    message.number = 1;
    message.parts.push_back({chat::Text{*reading.prompt_escaped}});
    // There is no place for it in the answer.
    request.reasoning.show = chat::ReasoningWish::Show::no;
    return {};
}

}  // namespace

Result<chat::Request> read_request(Incoming incoming, json::Parser* parser) {
    if (auto named = check_model_in_path(incoming.model); !named) return propagate(named);
    Result<chat::Request> request;
    request->api = chat::Api::completions;
    request->body = std::make_unique<std::string>(std::move(incoming.body));
    Reading reading{*request};
    RequestBody fields;
    auto read = fields.open(*request->body, parser);
    if (read) read = read_known_fields(known_fields, fields, *request, reading);
    if (read) read = settle(reading);
    if (read && request->model.empty()) request->model = std::move(incoming.model);
    if (!read) request = propagate(read);
    return request;
}

Result<void> check_request(const chat::Request& request) {
    if (request.streams() || request.include_usage == chat::Wish::unsaid) return {};
    return fail_at(ErrorKind::unsupported_parameter, "stream_options",
                   "stream_options is only allowed together with \"stream\":true");
}

}  // namespace runnel::api::completions
