#include "dialect/openai_request.hpp"

#include "base/limits.hpp"
#include "dialect/openai_format.hpp"
#include "dialect/openai_messages.hpp"
#include "dialect/openai_reasoning.hpp"
#include "dialect/openai_tools.hpp"
#include "dialect/request_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>
#include <vector>

namespace runnel::dialect {
namespace {

constexpr std::size_t shared_parser_bytes = 256 * limits::kib;
constexpr std::size_t list_max = 256;  // of stop sequences, of names: each is kept

// A request being read: what cannot be decided before all fields are known.
struct Reading {
    chat::Request& request;
    std::string_view prompt_raw{};
    std::string choice_field{};  // where the client chose a tool
    std::optional<std::int64_t> max_completion_tokens{};
    ReasoningFields reasoning{};
    std::string safety_identifier{};

    chat::Field& field() { return request.fields.back(); }
    // The field being read means this one, in the words of today.
    void replace_field(std::string name, std::string raw) {
        field() = {std::move(name), request.keep(std::move(raw))};
    }
};

Result<void> read_number(Value& value, std::optional<chat::Number>& into, double min, double max) {
    return store(value.number(min, max), into);
}

std::unexpected<Error> too_long(const Value& list, std::string_view of_what) {
    return list.wrong(fmt::format("has more than {} {}", list_max, of_what));
}

Result<void> read_messages(Reading& reading, Value& value) {
    OpenAiMessages messages(&reading.request);
    if (auto read = messages.read(value); !read) return read;
    reading.field().raw = messages.raw();
    return {};
}

Result<void> read_prompt(Reading& reading, Value& value) {
    if (!value.is_string()) return value.must_be("a string");
    reading.prompt_raw = value.raw();
    return {};
}

Result<void> read_stream(Reading& reading, Value& value) {
    auto wish = value.boolean();
    if (!wish) return propagate(wish);
    reading.request.streaming = *wish ? chat::Streaming::yes : chat::Streaming::no;
    return {};
}

Result<void> read_stream_options(Reading& reading, Value& value) {
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "include_usage") return store(field.boolean(), reading.request.include_usage);
        return {};
    });
}

Result<void> read_stop(Reading& reading, Value& value) {
    auto& stop = reading.request.sampling.stop;
    if (value.is_string()) return store(value.text(), stop.emplace_back());
    if (!value.is_array()) return value.must_be("a string or an array of strings");
    return value.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
        if (index == list_max) return too_long(value, "sequences");
        return store(element.text(), stop.emplace_back());
    });
}

Result<void> read_logit_bias(Reading& reading, Value& value) {
    if (!value.is_object()) return value.must_be("an object of numbers by token");
    reading.request.sampling.logit_bias_raw = value.raw();
    return {};
}

Result<void> read_format(Reading& reading, Value& value) {
    auto rewritten = read_response_format(value, reading.request);
    if (!rewritten) return propagate(rewritten);
    if (!rewritten->empty()) reading.replace_field("response_format", std::move(*rewritten));
    return {};
}

Result<void> read_response_schema(Reading& reading, Value& value) {
    return store(value.schema(), reading.request.gateway.response_schema_raw);
}

Result<void> read_metadata(Reading&, Value& value) {
    return value.for_each_field([](std::string_view, Value& field) -> Result<void> {
        return field.is_string() ? Result<void>() : field.must_be("a string");
    });
}

Result<void> read_idempotency_key(Reading&, Value& value) {
    auto key = value.text();
    if (!key) return propagate(key);
    if (key->empty() || key->size() > limits::request_id_bytes)
        return value.wrong(fmt::format("must have 1 to {} bytes", limits::request_id_bytes));
    return {};
}

// Names go into header fields, paths and logs: what no model is called gets no further. Empty is
// said to be missing by whoever needs one.
Result<std::string> read_model_name(const Value& value) {
    auto name = value.text();
    if (!name) return name;
    const bool is_printable =
        std::ranges::all_of(*name, [](char c) { return c >= ' ' && c <= '~'; });
    if (!is_printable || name->size() > limits::model_name_bytes || name->starts_with(' ') ||
        name->ends_with(' '))
        return value.wrong(fmt::format("is not the name of a model: send up to {} printable ASCII "
                                       "characters, without spaces around them",
                                       limits::model_name_bytes));
    return name;
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

// ["pii"], or {"pii": true}. What is false is not asked for; nobody can switch a policy off.
Result<void> read_guardrails(Reading& reading, Value& value) {
    auto& asked = reading.request.gateway.guardrails;
    if (value.is_object())
        return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
            auto wanted = field.boolean();
            if (!wanted) return propagate(wanted);
            if (asked.size() == list_max) return too_long(value, "names");
            if (*wanted) asked.emplace_back(name);
            return {};
        });
    if (!value.is_array())
        return value.must_be("an array of names, or an object such as {\"pii\":true}");
    return value.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
        if (index == list_max) return too_long(value, "names");
        return store(element.text(), asked.emplace_back());
    });
}

Result<void> read_timeout(Reading& reading, Value& value) {
    auto count = value.integer(1, limits::timeout_wish.count());
    if (!count) return propagate(count);
    reading.request.gateway.timeout = std::chrono::milliseconds(*count);
    return {};
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
    auto tools = read_functions(value, reading.request);
    if (!tools) return propagate(tools);
    reading.replace_field("tools", std::move(*tools));
    return {};
}

Result<void> read_choice(Reading& reading, Value& value) {
    reading.choice_field = "tool_choice";
    return read_tool_choice(value, reading.request.tool_choice);
}

Result<void> read_old_choice(Reading& reading, Value& value) {
    reading.choice_field = "function_call";
    auto choice = read_function_choice(value, reading.request.tool_choice);
    if (!choice) return propagate(choice);
    reading.replace_field("tool_choice", std::move(*choice));
    return {};
}

struct KnownField {
    std::string_view name;
    Result<void> (*read)(Reading& reading, Value& value);
};

// What the gateway must understand of a request; every other field goes on as it is.
constexpr std::array known_fields{
    KnownField{"model",
               [](Reading& r, Value& v) { return store(read_model_name(v), r.request.model); }},
    KnownField{"messages", read_messages},
    KnownField{"prompt", read_prompt},
    KnownField{"stream", read_stream},
    KnownField{"stream_options", read_stream_options},
    KnownField{"n",
               [](Reading& r, Value& v) {
                   return store(v.integer(1, std::int64_t{limits::choices}), r.request.n);
               }},
    KnownField{"max_tokens",
               [](Reading& r, Value& v) {
                   return store(v.integer(1, limits::tokens_wish), r.request.max_tokens);
               }},
    KnownField{"max_completion_tokens",
               [](Reading& r, Value& v) {
                   return store(v.integer(1, limits::tokens_wish), r.max_completion_tokens);
               }},
    KnownField{
        "temperature",
        [](Reading& r, Value& v) { return read_number(v, r.request.sampling.temperature, 0, 2); }},
    KnownField{"top_p",
               [](Reading& r, Value& v) { return read_number(v, r.request.sampling.top_p, 0, 1); }},
    KnownField{"top_k",
               [](Reading& r, Value& v) {
                   return read_number(v, r.request.sampling.top_k, -1, HUGE_VAL);
               }},
    KnownField{"min_p",
               [](Reading& r, Value& v) { return read_number(v, r.request.sampling.min_p, 0, 1); }},
    KnownField{"presence_penalty",
               [](Reading& r, Value& v) {
                   return read_number(v, r.request.sampling.presence_penalty, -2, 2);
               }},
    KnownField{"frequency_penalty",
               [](Reading& r, Value& v) {
                   return read_number(v, r.request.sampling.frequency_penalty, -2, 2);
               }},
    KnownField{"seed",
               [](Reading& r, Value& v) {
                   return read_number(v, r.request.sampling.seed, -HUGE_VAL, HUGE_VAL);
               }},
    KnownField{"stop", read_stop},
    KnownField{"logit_bias", read_logit_bias},
    KnownField{
        "logprobs",
        [](Reading& r, Value& v) { return store(v.boolean(), r.request.sampling.logprobs); }},
    KnownField{"top_logprobs",
               [](Reading& r, Value& v) {
                   return store(v.integer(0, 20), r.request.sampling.top_logprobs);
               }},
    KnownField{"tools", [](Reading& r, Value& v) { return read_tools(v, r.request); }},
    KnownField{"tool_choice", read_choice},
    KnownField{"functions", read_old_functions},
    KnownField{"function_call", read_old_choice},
    KnownField{
        "parallel_tool_calls",
        [](Reading& r, Value& v) { return store(v.boolean(), r.request.parallel_tool_calls); }},
    KnownField{"response_format", read_format},
    KnownField{"reasoning_effort", [](Reading& r, Value& v) { return r.reasoning.read_effort(v); }},
    KnownField{"reasoning", [](Reading& r, Value& v) { return r.reasoning.read_reasoning(v); }},
    KnownField{"thinking", [](Reading& r, Value& v) { return r.reasoning.read_thinking(v); }},
    KnownField{"include_reasoning",
               [](Reading& r, Value& v) { return r.reasoning.read_include(v); }},
    KnownField{"user", [](Reading& r, Value& v) { return store(v.text(), r.request.user); }},
    KnownField{"safety_identifier",
               [](Reading& r, Value& v) { return store(v.text(), r.safety_identifier); }},
    KnownField{"metadata", read_metadata},
    KnownField{"idempotency_key", read_idempotency_key},
    KnownField{"stream_dialect",
               [](Reading& r, Value& v) { return store(v.text(), r.request.gateway.dialect); }},
    KnownField{
        "echo_model",
        [](Reading& r, Value& v) { return store(v.boolean(), r.request.gateway.echo_model); }},
    KnownField{
        "strict_model",
        [](Reading& r, Value& v) { return store(v.boolean(), r.request.gateway.strict_model); }},
    KnownField{"fallback", read_fallback},
    KnownField{"retries",
               [](Reading& r, Value& v) {
                   return store(v.integer(0, limits::retries_max), r.request.gateway.retries);
               }},
    KnownField{"timeout", read_timeout},
    KnownField{"guardrails", read_guardrails},
    KnownField{
        "json_only",
        [](Reading& r, Value& v) { return store(v.boolean(), r.request.gateway.json_only); }},
    KnownField{"response_schema", read_response_schema},
    KnownField{"tool_events", read_tool_events},
    KnownField{"servertool_results",
               [](Reading& r, Value& v) {
                   return store(v.boolean(), r.request.gateway.servertool_results);
               }},
    KnownField{"hold", read_hold},
    KnownField{"builtin_tools",
               [](Reading& r, Value& v) {
                   return read_builtin_tools(v, r.request.gateway.builtin_tools);
               }},
    KnownField{"tool_invocation_explanations",
               [](Reading& r, Value& v) {
                   return store(v.boolean(), r.request.gateway.tool_invocation_explanations);
               }},
};

bool any_twice(std::vector<std::string_view> keys) {
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
}

// Where a field is given twice the last one counts: a virtual model's defaults stand before the
// client's own fields. Returns the positions of those that do not count, sorted.
std::vector<std::size_t> overridden_fields(Value& root) {
    std::vector<std::pair<std::string_view, std::size_t>> keys;
    static_cast<void>(root.for_each_field([&](std::string_view, Value& value) -> Result<void> {
        keys.emplace_back(value.key(), keys.size());
        return {};
    }));
    std::ranges::sort(keys);
    std::vector<std::size_t> overridden;
    for (std::size_t i = 1; i < keys.size(); ++i)
        if (keys[i].first == keys[i - 1].first) overridden.push_back(keys[i - 1].second);
    std::ranges::sort(overridden);
    return overridden;
}

Result<void> read_fields(Reading& reading, Value& root, const std::vector<std::string_view>& keys) {
    std::vector<std::size_t> overridden;
    if (any_twice(keys)) overridden = overridden_fields(root);
    reading.request.fields.reserve(keys.size());
    std::bitset<known_fields.size()> seen;
    std::size_t position = 0;
    return root.for_each_field([&](std::string_view name, Value& value) -> Result<void> {
        if (std::ranges::binary_search(overridden, position++)) return {};
        reading.request.fields.push_back({std::string(name), value.raw()});
        const auto known = std::ranges::find(known_fields, name, &KnownField::name);
        if (known == known_fields.end()) return {};
        const auto index = static_cast<std::size_t>(known - known_fields.begin());
        if (seen.test(index)) return value.wrong("is given twice, in different spellings");
        seen.set(index);
        return known->read(reading, value);
    });
}

// `prompt` is short for one user message.
void use_prompt(Reading& reading) {
    chat::Request& request = reading.request;
    const std::string_view list =
        request.keep(fmt::format(R"([{{"role":"user","content":{}}}])", reading.prompt_raw));
    const std::string_view message = list.substr(1, list.size() - 2);
    chat::Part part{.kind = chat::Part::Kind::text};
    part.text_escaped = reading.prompt_raw.substr(1, reading.prompt_raw.size() - 2);
    request.messages.push_back({.role = chat::Role::user, .parts = {part}, .raw = message});
    request.fields.push_back({"messages", list});
}

Result<void> settle_messages(Reading& reading) {
    const bool has_prompt = !reading.prompt_raw.empty();
    if (reading.request.messages.empty() && !has_prompt)
        return fail_at(ErrorKind::missing_required_field, "messages",
                       "the request needs messages: an array of {\"role\":…,\"content\":…}");
    if (!reading.request.messages.empty() && has_prompt)
        return fail_at(
            ErrorKind::invalid_value, "prompt",
            "the request has both messages and prompt; prompt is short for one user message");
    if (has_prompt) use_prompt(reading);
    return {};
}

// A field in its old and in its new form is one too many.
Result<void> settle_old_names(const chat::Request& request) {
    constexpr std::pair<std::string_view, std::string_view> renamed[] = {
        {"functions", "tools"}, {"function_call", "tool_choice"}};
    for (const auto& [old_name, name] : renamed)
        if (std::ranges::count(request.fields, name, &chat::Field::name) > 1)
            return fail_at(
                ErrorKind::invalid_value, std::string(old_name),
                fmt::format("the request has both {0} and {1}; use {1}", old_name, name));
    return {};
}

// What several fields say together.
Result<void> settle(Reading& reading) {
    chat::Request& request = reading.request;
    if (auto settled = settle_messages(reading); !settled) return settled;
    if (request.has("stream_options") && request.streaming == chat::Streaming::no)
        return fail_at(ErrorKind::unsupported_parameter, "stream_options",
                       "stream_options is only allowed together with \"stream\":true");
    if (auto settled = settle_old_names(request); !settled) return settled;
    if (auto checked = check_tool_choice(request, reading.choice_field); !checked) return checked;
    if (auto checked = check_format(request); !checked) return checked;
    if (reading.max_completion_tokens) request.max_tokens = reading.max_completion_tokens;
    if (!reading.safety_identifier.empty()) request.user = std::move(reading.safety_identifier);
    request.reasoning = reading.reasoning.wish();
    // Several servers refuse these where they have nothing to say.
    std::erase_if(request.fields, [&](const chat::Field& field) {
        const std::string_view name = field.name;
        const bool of_tools =
            name == "tools" || name == "tool_choice" || name == "parallel_tool_calls";
        return (of_tools && request.tools.empty()) ||
               (name == "stop" && request.sampling.stop.empty());
    });
    return {};
}

std::unexpected<Error> bad_json(simdjson::error_code error, std::string_view body,
                                const char* location) {
    switch (error) {
        case simdjson::EMPTY:
            return fail(ErrorKind::invalid_json,
                        "the request body is empty; it must be a JSON object");
        case simdjson::UTF8_ERROR:
            return fail(
                ErrorKind::invalid_json,
                fmt::format("the request body is not UTF-8: byte {} belongs to no character",
                            json::find_invalid_utf8(body)));
        case simdjson::DEPTH_ERROR:
            return fail(ErrorKind::invalid_json,
                        fmt::format("the request body is nested deeper than {} levels",
                                    limits::json_depth));
        case simdjson::NUMBER_OUT_OF_RANGE:
            return fail(ErrorKind::invalid_json,
                        fmt::format("the request body has a number of more than {} characters",
                                    limits::json_number_bytes));
        case simdjson::UNCLOSED_STRING:
            return fail(ErrorKind::invalid_json,
                        "the request body is not valid JSON: a string is not closed");
        default: break;
    }
    const bool inside = location >= body.data() && location <= body.data() + body.size();
    return fail(ErrorKind::invalid_json,
                inside ? fmt::format("the request body is not valid JSON, near byte {}",
                                     location - body.data())
                       : std::string("the request body is not valid JSON"));
}

Result<void> read_body(Reading& reading, json::Parser& parser) {
    std::string& body = *reading.request.body;
    json::ondemand::document document;
    const auto fail_here = [&](simdjson::error_code error) {
        const char* location = nullptr;
        static_cast<void>(document.current_location().get(location));
        return bad_json(error, body, location);
    };
    if (json::has_more_values(body, limits::request_values))
        return fail(ErrorKind::invalid_value,
                    fmt::format("the request body has more than {} values in its JSON; send fewer",
                                limits::request_values));
    if (const auto error = parser.parse_strict(Padded::of(body), document))
        return bad_json(error, body, nullptr);
    json::ondemand::object root;
    if (body[body.find_first_not_of(" \t\r\n")] != '{')
        return fail(ErrorKind::invalid_json, "the request body must be a JSON object");
    if (const auto error = document.get_object().get(root)) return fail_here(error);
    std::vector<std::string_view> keys;
    keys.reserve(16);
    if (const auto error = json::validate(root, limits::json_depth, &keys)) return fail_here(error);
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
        return fail_here(simdjson::TRAILING_CONTENT);
    if (keys.size() > limits::request_fields)
        return fail(ErrorKind::invalid_value,
                    fmt::format("the request has {} fields; it may have {}, so send values that "
                                "belong together as one",
                                keys.size(), limits::request_fields));
    Value value(root);
    if (auto read = read_fields(reading, value, keys); !read) return read;
    return settle(reading);
}

}  // namespace

Result<chat::Request> read_openai_request(std::string body, json::Parser* parser) {
    Result<chat::Request> request;
    request->body = std::make_unique<std::string>(std::move(body));
    Reading reading{*request};
    Result<void> read;
    if (request->body->size() > shared_parser_bytes) {
        json::Parser own;
        read = read_body(reading, own);
    } else {
        read = read_body(reading, *parser);
    }
    if (!read) request = propagate(read);
    return request;
}

}  // namespace runnel::dialect
