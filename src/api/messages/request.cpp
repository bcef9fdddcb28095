#include "api/messages/request.hpp"

#include "api/messages/blocks.hpp"
#include "api/messages/tools.hpp"
#include "api/request_body.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace runnel::api::messages {
namespace {

constexpr std::size_t stop_sequences_max = 256;

struct Reading {
    chat::Request& request;
    BlockReader blocks{&request};
    std::vector<chat::Message> system{};
    std::optional<chat::Effort> effort{};
    std::optional<chat::Effort> implied_effort{};
};

Result<void> keep(Reading& reading, const Value& value) {
    return keep_extra(value, reading.request, reading.request.extras);
}

Result<void> read_stop(Reading& reading, Value& value) {
    if (!value.is_array()) return value.must_be("an array of strings");
    return value.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
        if (index == stop_sequences_max)
            return value.wrong(fmt::format("has more than {} sequences", stop_sequences_max));
        return store(element.text(), reading.request.sampling.stop.emplace_back());
    });
}

// How much it should think. Claude's own words for it go on as they are to Claude.
Result<void> read_thinking(Reading& reading, Value& value) {
    chat::ReasoningWish& wish = reading.request.reasoning;
    const std::string type = value.text_of("type");
    if (type != "enabled" && type != "disabled" && type != "adaptive")
        return value.wrong(R"(needs a type: "enabled", "adaptive" or "disabled")");
    reading.implied_effort = type == "disabled" ? chat::Effort::none : chat::Effort::medium;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "budget_tokens")
            return store(field.integer(0, limits::tokens_wish), wish.budget_tokens);
        if (name == "display" && field.raw() == R"("omitted")")
            wish.show = chat::ReasoningWish::Show::no;
        return {};
    });
    return read ? keep(reading, value) : read;
}

Result<void> read_format(chat::OutputFormat& output, Value& value) {
    const std::string type = value.text_of("type");
    if (type != "json_schema") return value.wrong(R"(needs the type "json_schema")");
    output.kind = chat::OutputFormat::Kind::json_schema;
    output.name = "answer";
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        return name == "schema" ? store(field.schema(), output.schema_raw) : Result<void>();
    });
    if (!read) return read;
    return output.schema_raw.empty() ? value.needs("schema") : Result<void>();
}

Result<void> read_output_config(Reading& reading, Value& value) {
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "format") return read_format(reading.request.output, field);
        if (name != "effort") return {};
        auto word = field.text();
        if (!word) return propagate(word);
        reading.effort = chat::effort_named(*word);
        if (reading.effort) return {};
        return field.wrong(fmt::format("is {}; it must be one of low, medium, high, xhigh, max",
                                       in_quotes(*word)));
    });
    return read ? keep(reading, value) : read;
}

Result<void> read_metadata(Reading& reading, Value& value) {
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        return name == "user_id" ? store(field.text(), reading.request.user) : Result<void>();
    });
    if (!read) return read;
    reading.request.metadata_raw = value.raw();
    return keep(reading, value);
}

Result<void> read_service_tier(Reading& reading, Value& value) {
    auto word = value.text();
    if (!word) return propagate(word);
    reading.request.service_tier = *word == "standard_only" ? "default" : std::move(*word);
    return {};
}

using Field = KnownField<Reading>;
constexpr std::array known_fields{
    Field{"model", [](Reading& r, Value& v) { return store(read_model_name(v), r.request.model); }},
    Field{"messages", [](Reading& r, Value& v) { return r.blocks.read_messages(v); }},
    Field{"system", [](Reading& r, Value& v) { return r.blocks.read_system(v, r.system); }},
    Field{"max_tokens",
          [](Reading& r, Value& v) {
              return store(v.integer(0, limits::tokens_wish), r.request.max_tokens);
          }},
    Field{"stream", [](Reading& r, Value& v) { return read_streaming(v, r.request.streaming); }},
    Field{
        "temperature",
        [](Reading& r, Value& v) { return store(v.number(0, 1), r.request.sampling.temperature); }},
    Field{"top_p",
          [](Reading& r, Value& v) { return store(v.number(0, 1), r.request.sampling.top_p); }},
    Field{"top_k", [](Reading& r,
                      Value& v) { return store(v.number(0, HUGE_VAL), r.request.sampling.top_k); }},
    Field{"stop_sequences", read_stop},
    Field{"tools", [](Reading& r, Value& v) { return messages::read_tools(v, r.request); }},
    Field{"tool_choice",
          [](Reading& r, Value& v) { return messages::read_tool_choice(v, r.request); }},
    Field{"thinking", read_thinking},
    Field{"output_config", read_output_config},
    Field{"metadata", read_metadata},
    Field{"service_tier", read_service_tier},
    Field{"cache_control",
          [](Reading& r, Value& v) { return read_cache_mark(v, r.request.cache); }},
};

void settle(Reading& reading) {
    chat::Request& request = reading.request;
    chat::ReasoningWish& wish = request.reasoning;
    wish.effort = reading.effort;
    if (!wish.effort && !wish.budget_tokens) {
        wish.effort = reading.implied_effort;
        wish.effort_is_implied = reading.implied_effort.has_value();
    }
    // A model that is told not to think has no effort to make.
    if (reading.implied_effort == chat::Effort::none) wish.effort = chat::Effort::none;
    request.messages.insert(request.messages.begin(),
                            std::make_move_iterator(reading.system.begin()),
                            std::make_move_iterator(reading.system.end()));
    for (std::size_t i = 0; i < request.messages.size(); ++i) request.messages[i].number = i + 1;
}

}  // namespace

Result<chat::Request> read_request(std::string body, json::Parser* parser) {
    Result<chat::Request> request;
    request->api = chat::Api::messages;
    request->body = std::make_unique<std::string>(std::move(body));
    Reading reading{*request};
    RequestBody fields;
    auto read = fields.open(*request->body, parser);
    if (read) read = read_known_fields(known_fields, fields, *request, reading);
    if (read && request->messages.empty())
        read = fail_at(ErrorKind::missing_required_field, "messages", "messages: Field required");
    settle(reading);
    if (!read) request = propagate(read);
    return request;
}

Result<void> check_request(const chat::Request& request) {
    if (!request.max_tokens)
        return fail_at(ErrorKind::missing_required_field, "max_tokens",
                       "max_tokens: Field required");
    return check_tool_choice(request);
}

}  // namespace runnel::api::messages
