#include "api/chat/request.hpp"

#include "api/chat/messages.hpp"
#include "api/chat/output_format.hpp"
#include "api/chat/reasoning.hpp"
#include "api/chat/tools.hpp"
#include "api/gateway_fields.hpp"
#include "api/request_body.hpp"
#include "base/limits.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace runnel::api {
namespace {

constexpr std::size_t list_max = 256;  // of stop sequences: each is kept

// A request being read: what cannot be decided before all fields are known.
struct Reading {
    chat::Request& request;
    std::string_view prompt_raw{};
    bool has_functions = false;      // in place of tools
    bool has_function_call = false;  // in place of tool_choice
    std::optional<std::int64_t> max_completion_tokens{};
    ReasoningFields reasoning{};
};

Result<void> read_number(Value& value, std::optional<chat::Number>& into, double min, double max) {
    return store(value.number(min, max), into);
}

std::unexpected<Error> too_long(const Value& list, std::string_view of_what) {
    return list.wrong(fmt::format("has more than {} {}", list_max, of_what));
}

Result<void> read_messages(Reading& reading, Value& value) {
    return ChatMessages(&reading.request).read(value);
}

Result<void> read_prompt(Reading& reading, Value& value) {
    if (!value.is_string()) return value.must_be("a string");
    reading.prompt_raw = value.raw();
    return {};
}

// The extra has the options beside include_usage, which every provider is asked for anyway.
Result<void> read_stream_options(Reading& reading, Value& value) {
    std::string others;
    json::Writer writer(others);
    writer.begin_object();
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "include_usage") return read_wish(field, reading.request.include_usage);
        writer.key(name).raw(field.raw());
        return {};
    });
    if (!read) return read;
    writer.end_object();
    reading.request.extras.push_back({"stream_options", reading.request.keep(std::move(others))});
    return {};
}

// Understood, and also kept: some servers have words in it that nobody else knows.
template <Result<void> (ReasoningFields::*read)(Value&)>
Result<void> read_and_keep(Reading& reading, Value& value) {
    if (auto understood = (reading.reasoning.*read)(value); !understood) return understood;
    return keep_extra(value, reading.request, reading.request.extras);
}

Result<void> read_logit_bias(Reading& reading, Value& value) {
    if (!value.is_object()) return value.must_be("an object of numbers by token");
    reading.request.sampling.logit_bias_raw = value.raw();
    return {};
}

Result<void> read_response_schema(Reading& reading, Value& value) {
    return store(value.schema(), reading.request.gateway.response_schema_raw);
}

Result<void> read_idempotency_key(Reading&, Value& value) {
    auto key = value.text();
    if (!key) return propagate(key);
    if (key->empty() || key->size() > limits::request_id_bytes)
        return value.wrong(fmt::format("must have 1 to {} bytes", limits::request_id_bytes));
    return {};
}

Result<void> read_fallback(Reading& reading, Value& value) {
    auto& fallback = reading.request.gateway.fallback;
    if (!value.is_array()) return value.must_be("an array of model names");
    return value.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
        if (index >= limits::fallback_models)
            return value.wrong(fmt::format("has more than {} models", limits::fallback_models));
        auto name = read_model_name(element);
        if (!name) return propagate(name);
        if (name->empty()) return element.must_be("the name of a model");
        fallback.push_back(std::move(*name));
        return {};
    });
}

// A field that has one word to say, or is left out.
Result<void> read_word(const Value& value, std::string_view word) {
    auto text = value.text();
    if (!text) return propagate(text);
    if (*text == word) return {};
    return value.wrong(fmt::format("is {}; it can only be {}", in_quotes(*text), word));
}

Result<void> read_tool_events(Reading& reading, Value& value) {
    reading.request.gateway.tool_events = chat::GatewayWishes::ToolEvents::comments;
    return read_word(value, "comment");
}

Result<void> read_hold(Reading& reading, Value& value) {
    reading.request.gateway.hold = chat::GatewayWishes::Hold::round;
    return read_word(value, "round");
}

Result<void> read_old_functions(Reading& reading, Value& value) {
    reading.has_functions = true;
    return read_functions(value, reading.request);
}

Result<void> read_old_choice(Reading& reading, Value& value) {
    reading.has_function_call = true;
    return read_function_choice(value, reading.request.tool_choice);
}

// A field that only says something to those who made the request.
Result<void> ignore(Reading&, Value&) { return {}; }

// What the gateway must understand of a request; every other field goes on as it is.
using Field = KnownField<Reading>;
constexpr std::array known_fields{
    Field{"model", [](Reading& r, Value& v) { return store(read_model_name(v), r.request.model); }},
    Field{"messages", read_messages},
    Field{"prompt", read_prompt},
    Field{"stream", [](Reading& r, Value& v) { return read_streaming(v, r.request.streaming); }},
    Field{"stream_options", read_stream_options},
    Field{"n",
          [](Reading& r, Value& v) {
              return store(v.integer(1, std::int64_t{limits::choices}), r.request.n);
          }},
    Field{"max_tokens",
          [](Reading& r, Value& v) {
              return store(v.integer(1, limits::tokens_wish), r.request.max_tokens);
          }},
    Field{"max_completion_tokens",
          [](Reading& r, Value& v) {
              return store(v.integer(1, limits::tokens_wish), r.max_completion_tokens);
          }},
    Field{
        "temperature",
        [](Reading& r, Value& v) { return read_number(v, r.request.sampling.temperature, 0, 2); }},
    Field{"top_p",
          [](Reading& r, Value& v) { return read_number(v, r.request.sampling.top_p, 0, 1); }},
    Field{"top_k", [](Reading& r,
                      Value& v) { return read_number(v, r.request.sampling.top_k, -1, HUGE_VAL); }},
    Field{"min_p",
          [](Reading& r, Value& v) { return read_number(v, r.request.sampling.min_p, 0, 1); }},
    Field{"presence_penalty",
          [](Reading& r, Value& v) {
              return read_number(v, r.request.sampling.presence_penalty, -2, 2);
          }},
    Field{"frequency_penalty",
          [](Reading& r, Value& v) {
              return read_number(v, r.request.sampling.frequency_penalty, -2, 2);
          }},
    Field{"seed",
          [](Reading& r, Value& v) {
              return read_number(v, r.request.sampling.seed, -HUGE_VAL, HUGE_VAL);
          }},
    Field{"stop", [](Reading& r, Value& v) { return read_stop(v, r.request.sampling.stop); }},
    Field{"logit_bias", read_logit_bias},
    Field{"logprobs",
          [](Reading& r, Value& v) { return read_wish(v, r.request.sampling.logprobs); }},
    Field{"top_logprobs",
          [](Reading& r, Value& v) {
              return store(v.integer(0, 20), r.request.sampling.top_logprobs);
          }},
    Field{"tools", [](Reading& r, Value& v) { return read_tools(v, r.request); }},
    Field{"tool_choice",
          [](Reading& r, Value& v) { return read_tool_choice(v, r.request.tool_choice); }},
    Field{"functions", read_old_functions},
    Field{"function_call", read_old_choice},
    Field{"parallel_tool_calls",
          [](Reading& r, Value& v) { return store(v.boolean(), r.request.parallel_tool_calls); }},
    Field{"response_format",
          [](Reading& r, Value& v) { return read_response_format(v, r.request); }},
    Field{"reasoning_effort", [](Reading& r, Value& v) { return r.reasoning.read_effort(v); }},
    Field{"reasoning", read_and_keep<&ReasoningFields::read_reasoning>},
    Field{"thinking", read_and_keep<&ReasoningFields::read_thinking>},
    Field{"include_reasoning", [](Reading& r, Value& v) { return r.reasoning.read_include(v); }},
    Field{"user", [](Reading& r, Value& v) { return store(v.text(), r.request.user); }},
    Field{"safety_identifier",
          [](Reading& r, Value& v) { return store(v.text(), r.request.safety_identifier); }},
    Field{"service_tier",
          [](Reading& r, Value& v) { return store(v.text(), r.request.service_tier); }},
    Field{"prompt_cache_key",
          [](Reading& r, Value& v) { return store(v.text(), r.request.session); }},
    Field{"verbosity", [](Reading& r, Value& v) { return store(v.text(), r.request.verbosity); }},
    Field{"cache_control",
          [](Reading& r, Value& v) { return read_cache_mark(v, r.request.cache); }},
    Field{"load_balance", ignore},
    Field{"extra_body", ignore},
    Field{"metadata", [](Reading& r, Value& v) { return read_metadata(v, r.request); }},
    Field{"idempotency_key", read_idempotency_key},
    Field{"stream_dialect",
          [](Reading& r, Value& v) { return store(v.text(), r.request.gateway.dialect); }},
    Field{"echo_model",
          [](Reading& r, Value& v) { return read_wish(v, r.request.gateway.echo_model); }},
    Field{"strict_model",
          [](Reading& r, Value& v) { return read_wish(v, r.request.gateway.strict_model); }},
    Field{"fallback", read_fallback},
    Field{"retries",
          [](Reading& r, Value& v) {
              return store(v.integer(0, limits::retries_max), r.request.gateway.retries);
          }},
    Field{"timeout", [](Reading& r, Value& v) { return read_timeout(v, r.request.gateway); }},
    Field{"guardrails", [](Reading& r, Value& v) { return read_guardrails(v, r.request.gateway); }},
    Field{"json_only",
          [](Reading& r, Value& v) { return read_wish(v, r.request.gateway.json_only); }},
    Field{"response_schema", read_response_schema},
    Field{"tool_events", read_tool_events},
    Field{"servertool_results",
          [](Reading& r, Value& v) { return read_wish(v, r.request.gateway.servertool_results); }},
    Field{"hold", read_hold},
    Field{"builtin_tools",
          [](Reading& r, Value& v) {
              return read_builtin_tools(v, r.request.gateway.builtin_tools);
          }},
    Field{"tool_invocation_explanations",
          [](Reading& r, Value& v) {
              return read_wish(v, r.request.gateway.tool_invocation_explanations);
          }},
};

// `prompt` is short for one user message.
Result<void> settle_messages(Reading& reading) {
    chat::Request& request = reading.request;
    const bool has_prompt = !reading.prompt_raw.empty();
    if (request.messages.empty() && !has_prompt)
        return fail_at(ErrorKind::missing_required_field, "messages",
                       "the request needs messages: an array of {\"role\":…,\"content\":…}");
    if (!request.messages.empty() && has_prompt)
        return fail_at(
            ErrorKind::invalid_value, "prompt",
            "the request has both messages and prompt; prompt is short for one user message");
    if (!has_prompt) return {};
    chat::Message& message = request.messages.emplace_back();
    message.form = chat::Message::Form::string;
    message.number = 1;
    message.parts.push_back(
        {chat::Text{reading.prompt_raw.substr(1, reading.prompt_raw.size() - 2)}});
    return {};
}

// A field in its old and in its new form is one too many.
Result<void> settle_old_names(const Reading& reading) {
    const auto refuse = [&](std::string_view old_name, std::string_view name) -> Result<void> {
        if (std::ranges::find(reading.request.field_names, name) ==
            reading.request.field_names.end())
            return {};
        return fail_at(ErrorKind::invalid_value, std::string(old_name),
                       fmt::format("the request has both {0} and {1}; use {1}", old_name, name));
    };
    if (reading.has_functions)
        if (auto settled = refuse("functions", "tools"); !settled) return settled;
    return reading.has_function_call ? refuse("function_call", "tool_choice") : Result<void>();
}

// What several fields say together.
Result<void> settle(Reading& reading) {
    chat::Request& request = reading.request;
    if (auto settled = settle_old_names(reading); !settled) return settled;
    if (reading.max_completion_tokens) request.max_tokens = reading.max_completion_tokens;
    request.reasoning = reading.reasoning.wish();
    return {};
}

Result<void> read_fields(Reading& reading, json::Parser* parser) {
    RequestBody body;
    if (auto opened = body.open(*reading.request.body, parser); !opened) return opened;
    auto read = read_known_fields(known_fields, body, reading.request, reading);
    return read ? settle(reading) : read;
}

}  // namespace

Result<chat::Request> read_chat_request(std::string body, json::Parser* parser) {
    Result<chat::Request> request;
    request->body = std::make_unique<std::string>(std::move(body));
    Reading reading{*request};
    auto read = read_fields(reading, parser);
    if (read) read = settle_messages(reading);
    if (!read) request = propagate(read);
    return request;
}

Result<chat::Request> read_chat_defaults(std::string fields) {
    json::Parser parser;
    Result<chat::Request> defaults;
    defaults->body = std::make_unique<std::string>(std::move(fields));
    Reading reading{*defaults};
    if (auto read = read_fields(reading, &parser); !read) defaults = propagate(read);
    return defaults;
}

Result<void> check_chat_request(const chat::Request& request) {
    if (!request.streams() && !chat::find(request.extras, "stream_options").empty())
        return fail_at(ErrorKind::unsupported_parameter, "stream_options",
                       "stream_options is only allowed together with \"stream\":true");
    if (auto checked = check_tool_choice(request); !checked) return checked;
    return check_format(request);
}

}  // namespace runnel::api
