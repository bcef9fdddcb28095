#include "api/responses/request.hpp"

#include "api/request_body.hpp"
#include "api/responses/input_items.hpp"
#include "api/responses/stored_items.hpp"
#include "api/responses/tools.hpp"
#include "base/limits.hpp"
#include "json/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

namespace runnel::api::responses {
namespace {

constexpr std::size_t include_max = 64;
constexpr std::size_t id_bytes_max = 256;

struct Reading {
    chat::Request& request;
    InputItems items{&request};
    std::optional<chat::Message> instructions{};
};

Result<void> keep(Reading& reading, const Value& value) {
    return keep_extra(value, reading.request, reading.request.extras);
}

Result<void> read_instructions(Reading& reading, Value& value) {
    auto text = value.escaped();
    if (!text) return propagate(text);
    if (text->empty()) return {};
    reading.instructions.emplace(chat::Message{.role = chat::Role::system});
    reading.instructions->form = chat::Message::Form::string;
    reading.instructions->parts.push_back({chat::Text{*text}});
    return {};
}

Result<void> read_effort(Reading& reading, Value& value) {
    auto word = value.text();
    if (!word) return propagate(word);
    reading.request.reasoning.effort = chat::effort_named(*word);
    if (reading.request.reasoning.effort) return {};
    return value.wrong(fmt::format(
        "is {}; it must be one of none, minimal, low, medium, high, xhigh, max", in_quotes(*word)));
}

// Its other members are OpenAI's own.
Result<void> read_reasoning(Reading& reading, Value& value) {
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "effort") return read_effort(reading, field);
        if (name == "summary" || name == "generate_summary")
            return store(field.text(), reading.request.reasoning.summary);
        return {};
    });
    return read ? keep(reading, value) : read;
}

Result<void> read_schema(chat::OutputFormat& output, Value& format) {
    output.kind = chat::OutputFormat::Kind::json_schema;
    auto read = format.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "name") return store(field.text(), output.name);
        if (name == "description") return store(field.escaped(), output.description_escaped);
        if (name == "strict") return store(field.boolean(), output.strict);
        return name == "schema" ? store(field.schema(), output.schema_raw) : Result<void>();
    });
    if (!read) return read;
    if (output.name.empty()) return format.needs("name");
    return output.schema_raw.empty() ? format.needs("schema") : Result<void>();
}

Result<void> read_format(chat::OutputFormat& output, Value& format) {
    if (!format.is_object()) return format.must_be("an object with a type");
    const std::string type = format.text_of("type");
    if (type.empty()) return format.needs("type");
    if (type == "json_schema") return read_schema(output, format);
    if (type != "text" && type != "json_object")
        return format.wrong(fmt::format(
            "has the type {}; it must be one of text, json_object, json_schema", in_quotes(type)));
    output.kind =
        type == "text" ? chat::OutputFormat::Kind::text : chat::OutputFormat::Kind::json_object;
    return {};
}

Result<void> read_text(Reading& reading, Value& value) {
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "format") return read_format(reading.request.output, field);
        return name == "verbosity" ? store(field.text(), reading.request.verbosity)
                                   : Result<void>();
    });
}

Result<void> read_include(Reading& reading, Value& value) {
    if (!value.is_array()) return value.must_be("an array of strings");
    auto read = value.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
        if (index == include_max)
            return value.wrong(fmt::format("has more than {} words", include_max));
        auto word = element.text();
        if (!word) return propagate(word);
        if (*word == "message.output_text.logprobs")
            reading.request.sampling.logprobs = chat::Wish::yes;
        return {};
    });
    return read ? keep(reading, value) : read;
}

Result<void> read_metadata(Reading& reading, Value& value) {
    reading.request.metadata_raw = value.raw();
    return value.for_each_field([](std::string_view, Value& field) -> Result<void> {
        return field.is_string() ? Result<void>() : field.must_be("a string");
    });
}

Result<void> read_truncation(Reading& reading, Value& value) {
    auto word = value.text();
    if (!word) return propagate(word);
    if (*word != "auto" && *word != "disabled")
        return value.wrong(
            fmt::format("is {}; it must be \"auto\" or \"disabled\"", in_quotes(*word)));
    return keep(reading, value);
}

Result<void> read_max_tool_calls(Reading& reading, Value& value) {
    auto count = value.integer(1, limits::tokens_wish);
    return count ? keep(reading, value) : propagate(count);
}

Result<void> refuse(const Value& value, std::string_view cure) {
    return value.wrong(fmt::format("is not supported: {}", cure), ErrorKind::unsupported_parameter);
}

Result<void> read_previous(Reading& reading, Value& value) {
    auto id = value.text();
    if (!id) return propagate(id);
    if (id->empty() || id->size() > id_bytes_max)
        return value.wrong("is not the id of a response, such as resp_…");
    reading.request.conversation.previous = std::move(*id);
    return {};
}

// By its id, or as an object that has it.
Result<void> read_conversation(Reading& reading, Value& value) {
    auto id = value.is_object() ? Result<std::string>(value.text_of("id")) : value.text();
    if (!id) return propagate(id);
    if (id->empty() || id->size() > id_bytes_max)
        return value.wrong("is not the id of a conversation, such as conv_…");
    reading.request.conversation.id = std::move(*id);
    return {};
}

Result<void> read_input(Reading& reading, Value& value) {
    reading.request.conversation.input_raw = value.raw();
    return reading.items.read(value);
}

Result<void> refuse_prompt(Reading&, Value& value) {
    return refuse(value, "no prompts are kept here; send their text in instructions and input");
}

using Field = KnownField<Reading>;
constexpr std::array known_fields{
    Field{"model", [](Reading& r, Value& v) { return store(read_model_name(v), r.request.model); }},
    Field{"input", read_input},
    Field{"instructions", read_instructions},
    Field{"stream", [](Reading& r, Value& v) { return read_streaming(v, r.request.streaming); }},
    Field{"tools",
          [](Reading& r, Value& v) { return read_tool_list(v, r.request, r.request.tools); }},
    Field{"tool_choice", [](Reading& r, Value& v) { return read_choice(v, r.request); }},
    Field{"parallel_tool_calls",
          [](Reading& r, Value& v) { return store(v.boolean(), r.request.parallel_tool_calls); }},
    Field{"text", read_text},
    Field{"reasoning", read_reasoning},
    Field{"include", read_include},
    Field{"max_output_tokens",
          [](Reading& r, Value& v) {
              return store(v.integer(1, limits::tokens_wish), r.request.max_tokens);
          }},
    Field{"max_tool_calls", read_max_tool_calls},
    Field{
        "temperature",
        [](Reading& r, Value& v) { return store(v.number(0, 2), r.request.sampling.temperature); }},
    Field{"top_p",
          [](Reading& r, Value& v) { return store(v.number(0, 1), r.request.sampling.top_p); }},
    Field{"presence_penalty",
          [](Reading& r, Value& v) {
              return store(v.number(-2, 2), r.request.sampling.presence_penalty);
          }},
    Field{"frequency_penalty",
          [](Reading& r, Value& v) {
              return store(v.number(-2, 2), r.request.sampling.frequency_penalty);
          }},
    Field{"top_logprobs",
          [](Reading& r, Value& v) {
              return store(v.integer(0, 20), r.request.sampling.top_logprobs);
          }},
    Field{"truncation", read_truncation},
    Field{"metadata", read_metadata},
    Field{"user", [](Reading& r, Value& v) { return store(v.text(), r.request.user); }},
    Field{"safety_identifier",
          [](Reading& r, Value& v) { return store(v.text(), r.request.safety_identifier); }},
    Field{"prompt_cache_key",
          [](Reading& r, Value& v) { return store(v.text(), r.request.session); }},
    Field{"service_tier",
          [](Reading& r, Value& v) { return store(v.text(), r.request.service_tier); }},
    Field{"store",
          [](Reading& r, Value& v) { return store(v.boolean(), r.request.conversation.keep); }},
    Field{"previous_response_id", read_previous},
    Field{"conversation", read_conversation},
    Field{"prompt", refuse_prompt},
    Field{"background",
          [](Reading& r, Value& v) {
              return store(v.boolean(), r.request.conversation.in_background);
          }},
};

void number_messages(chat::Request& request) {
    for (std::size_t i = 0; i < request.messages.size(); ++i) request.messages[i].number = i + 1;
}

Result<void> check_kept(const chat::Request& request) {
    const chat::KeptConversation& kept = request.conversation;
    if (!kept.previous.empty() && !kept.id.empty())
        return fail_at(ErrorKind::invalid_value, "previous_response_id",
                       "Mutually exclusive parameters: previous_response_id and conversation can't "
                       "be used together");
    if (kept.in_background && !kept.keep)
        return fail_at(ErrorKind::invalid_value, "background",
                       "background needs store: what runs without its client is only found among "
                       "what is stored; leave store out, or background");
    return {};
}

Result<void> settle(Reading& reading) {
    chat::Request& request = reading.request;
    if (auto checked = check_kept(request); !checked) return checked;
    request.conversation.references = references_in(request);
    const chat::KeptConversation& kept = request.conversation;
    const bool is_alone = kept.previous.empty() && kept.id.empty() && !reading.items.refers();
    if (request.messages.empty() && is_alone)
        return fail_at(ErrorKind::missing_required_field, "input",
                       "the request needs input: a string, or an array of items");
    // Here it is one wish; others want to be asked for the alternatives and the tokens alike.
    chat::Sampling& sampling = request.sampling;
    if (sampling.top_logprobs.value_or(0) > 0) sampling.logprobs = chat::Wish::yes;
    if (sampling.logprobs != chat::Wish::yes) sampling.top_logprobs.reset();
    // What was said before may have the calls.
    if (is_alone)
        if (auto called = reading.items.check_results(); !called) return called;
    if (reading.instructions) {
        request.messages.insert(request.messages.begin(), std::move(*reading.instructions));
        request.conversation.earlier_place = 1;
    }
    number_messages(request);
    return reading.items.add_tools();
}

// Each result needs its call before it, and earlier turns have some of them.
Result<void> check_results(const chat::Request& request) {
    std::set<std::string_view> called;
    for (const chat::Message& message : request.messages) {
        for (const chat::Part& part : message.parts)
            if (const auto* call = std::get_if<chat::ToolCall>(&part.content))
                called.insert(call->id);
        if (message.role == chat::Role::tool && !called.contains(message.tool_call_id))
            return fail_at(ErrorKind::tool_call_id_mismatch, "input",
                           fmt::format("No tool call found for function call output with call_id "
                                       "{}, neither in input nor in the responses before it.",
                                       in_quotes(message.tool_call_id)));
    }
    return {};
}

}  // namespace

Result<chat::Request> read_request(std::string body, json::Parser* parser) {
    Result<chat::Request> request;
    request->api = chat::Api::responses;
    request->conversation.keep = true;
    request->body = std::make_unique<std::string>(std::move(body));
    Reading reading{*request};
    RequestBody fields;
    auto read = fields.open(*request->body, parser);
    if (read) read = read_known_fields(known_fields, fields, *request, reading);
    if (read) read = settle(reading);
    if (!read) request = propagate(read);
    return request;
}

Result<void> add_earlier(std::vector<EarlierTurn> turns, chat::Request* request,
                         json::Parser* parser) {
    std::vector<chat::Message> own = std::exchange(request->messages, {});
    InputItems items(request);
    const auto read = [&](std::string object, std::string_view member) -> Result<void> {
        std::string& body = request->kept.emplace_back(std::move(object));
        RequestBody fields;
        if (auto opened = fields.open(body, parser); !opened) return opened;
        return fields.for_each_field([&](std::string_view name, Value& value) -> Result<void> {
            return name == member ? items.read(value) : Result<void>();
        });
    };
    for (EarlierTurn& turn : turns) {
        auto added = read(fmt::format(R"({{"input":{}}})", turn.input_json), "input");
        if (added) added = read(std::move(turn.answer_json), "output");
        if (!added) return added;
    }
    auto& all = request->messages;
    const auto place =
        own.begin() + static_cast<std::ptrdiff_t>(request->conversation.earlier_place);
    all.insert(all.begin(), std::make_move_iterator(own.begin()), std::make_move_iterator(place));
    all.insert(all.end(), std::make_move_iterator(place), std::make_move_iterator(own.end()));
    number_messages(*request);
    if (auto called = check_results(*request); !called) return called;
    return items.add_tools();
}

Result<void> check_request(const chat::Request& request) { return check_choice(request); }

}  // namespace runnel::api::responses
