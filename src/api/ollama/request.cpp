#include "api/ollama/request.hpp"

#include "api/chat/tools.hpp"
#include "api/ollama/messages.hpp"
#include "api/ollama/options.hpp"
#include "api/request_body.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace runnel::api::ollama {
namespace {

struct Reading {
    chat::Request& request;
    Messages messages{&request};
    // Of /api/generate.
    chat::Message prompt{.form = chat::Message::Form::string};
    std::string_view system_escaped{};
};

Result<void> read_prompt(Reading& reading, Value& value) {
    auto text = value.escaped();
    if (!text) return propagate(text);
    auto& parts = reading.prompt.parts;
    if (!text->empty()) parts.insert(parts.begin(), {chat::Text{*text}});
    return {};
}

Result<void> read_images(Reading& reading, Value& value) {
    return reading.messages.read_images(value, reading.prompt);
}

// Tokens of an earlier answer, which this API has never given to anybody.
Result<void> read_context(Reading&, Value& value) {
    if (value.raw() == "[]") return {};
    return value.wrong("is not kept here; send the whole conversation to /api/chat",
                       ErrorKind::unsupported_parameter);
}

// "json", or a schema.
Result<void> read_format(Reading& reading, Value& value) {
    using Kind = chat::OutputFormat::Kind;
    chat::OutputFormat& output = reading.request.output;
    if (value.is_object()) {
        output.kind = Kind::json_schema;
        output.name = "answer";
        return store(value.schema(), output.schema_raw);
    }
    auto word = value.text();
    if (!word) return value.must_be("\"json\" or a JSON Schema");
    if (word->empty()) return {};
    if (*word != "json")
        return value.wrong(
            fmt::format("is {}; it must be \"json\" or a JSON Schema", in_quotes(*word)));
    output.kind = Kind::json_object;
    return {};
}

// Whether the model should think, or how much.
Result<void> read_think(Reading& reading, Value& value) {
    chat::ReasoningWish& wish = reading.request.reasoning;
    if (value.is_string()) {
        const std::string word = *value.text();
        wish.effort = chat::effort_named(word);
        if (wish.effort) return {};
        return value.wrong(fmt::format(
            "is {}; it must be true, false, \"low\", \"medium\" or \"high\"", in_quotes(word)));
    }
    auto thinks = value.boolean();
    if (!thinks) return propagate(thinks);
    wish.effort = *thinks ? chat::Effort::medium : chat::Effort::none;
    wish.effort_is_implied = true;
    if (!*thinks) wish.show = chat::ReasoningWish::Show::no;
    return {};
}

// Models stay where they are.
Result<void> ignore(Reading&, Value&) { return {}; }

using Field = KnownField<Reading>;
constexpr std::array known_fields{
    Field{"model", [](Reading& r, Value& v) { return store(read_model_name(v), r.request.model); }},
    Field{"messages", [](Reading& r, Value& v) { return r.messages.read(v); }},
    Field{"prompt", read_prompt},
    Field{"system", [](Reading& r, Value& v) { return store(v.escaped(), r.system_escaped); }},
    Field{"images", read_images},
    Field{"context", read_context},
    Field{"stream", [](Reading& r, Value& v) { return read_streaming(v, r.request.streaming); }},
    Field{"format", read_format},
    Field{"options", [](Reading& r, Value& v) { return read_options(v, r.request); }},
    Field{"tools", [](Reading& r, Value& v) { return read_tools(v, r.request); }},
    Field{"think", read_think},
    Field{"keep_alive", ignore},
    Field{"logprobs",
          [](Reading& r, Value& v) { return read_wish(v, r.request.sampling.logprobs); }},
    Field{"top_logprobs",
          [](Reading& r, Value& v) {
              return store(v.integer(0, 20), r.request.sampling.top_logprobs);
          }},
};

// One text is a conversation of one message.
void settle_prompt(Reading& reading) {
    auto& messages = reading.request.messages;
    messages.clear();
    if (reading.prompt.parts.empty()) return;
    if (!reading.system_escaped.empty())
        messages.push_back({.role = chat::Role::system,
                            .parts = {{chat::Text{reading.system_escaped}}},
                            .form = chat::Message::Form::string});
    messages.push_back(std::move(reading.prompt));
}

void settle(Reading& reading, Form form) {
    chat::Request& request = reading.request;
    if (form == Form::generate) settle_prompt(reading);
    for (std::size_t i = 0; i < request.messages.size(); ++i) request.messages[i].number = i + 1;
    if (!request.streaming) request.streaming = chat::Streaming::yes;
}

}  // namespace

bool asks_for_words(const chat::Request& request) { return !request.messages.empty(); }

Result<chat::Request> read_request(Incoming incoming, Form form, json::Parser* parser) {
    Result<chat::Request> request;
    request->api = chat::Api::ollama;
    request->body = std::make_unique<std::string>(std::move(incoming.body));
    Reading reading{*request};
    RequestBody fields;
    auto read = fields.open(*request->body, parser);
    if (read) read = read_known_fields(known_fields, fields, *request, reading);
    settle(reading, form);
    if (!read) request = propagate(read);
    return request;
}

}  // namespace runnel::api::ollama
