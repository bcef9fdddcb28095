#include "api/chat/output_format.hpp"

#include "base/limits.hpp"
#include "json/schema_form.hpp"
#include "json/tree.hpp"

#include <fmt/format.h>

namespace runnel::api {
namespace {

using chat::OutputFormat;

Result<void> read_healing(Value& value, chat::GatewayWishes& wishes) {
    wishes.heal_attempts = limits::heal_attempts;
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name != "max_attempts") return {};
        return store(field.integer(1, limits::heal_attempts_max), wishes.heal_attempts);
    });
}

Result<void> read_json_schema(Value& value, chat::Request& request) {
    OutputFormat& output = request.output;
    output.kind = OutputFormat::Kind::json_schema;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "name") return store(field.text(), output.name);
        if (name == "description") return store(field.escaped(), output.description_escaped);
        if (name == "strict") return store(field.boolean(), output.strict);
        if (name == "healing_options") return read_healing(field, request.gateway);
        if (name != "schema") return {};
        return store(field.schema(), output.schema_raw);
    });
    if (!read) return read;
    if (output.name.empty()) return value.needs("name");
    if (output.schema_raw.empty()) return value.needs("schema");
    return {};
}

// A schema by which the gateway checks an answer; a model can do nothing about its mistakes.
Result<void> check_schema(std::string_view schema_raw, std::string_view field) {
    const auto schema = json::read_tree(schema_raw);
    const auto mistake = schema ? json::schema_mistake(*schema) : std::nullopt;
    if (!mistake) return {};
    const std::string place = fmt::format("{}{}", field, mistake->place);
    return fail_at(ErrorKind::invalid_value, place, fmt::format("{} {}", place, mistake->what));
}

}  // namespace

Result<void> read_response_format(Value& value, chat::Request& request) {
    if (!value.is_object()) return value.must_be("an object with a type");
    const std::string type = value.text_of("type");
    if (type.empty()) return value.needs("type");
    if (type == "text") {
        request.output.kind = OutputFormat::Kind::text;
        return {};
    }
    if (type == "json_object") {
        request.output.kind = OutputFormat::Kind::json_object;
        return {};
    }
    if (type != "json_schema")
        return fail_at(
            ErrorKind::invalid_value, "response_format.type",
            fmt::format("response_format.type is {}; it must be one of text, json_object, "
                        "json_schema",
                        in_quotes(type)));
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        return name == "json_schema" ? read_json_schema(field, request) : Result<void>();
    });
    if (!read) return read;
    if (request.output.kind != OutputFormat::Kind::json_schema) return value.needs("json_schema");
    return {};
}

Result<void> check_format(const chat::Request& request) {
    const chat::GatewayWishes& wishes = request.gateway;
    if (wishes.json_only == chat::Wish::yes && !request.tools.empty())
        return fail_at(ErrorKind::invalid_value, "json_only",
                       "json_only and tools contradict each other: a call to a tool is no JSON "
                       "answer; leave one of them out");
    const bool checked = wishes.json_only == chat::Wish::yes ||
                         !wishes.response_schema_raw.empty() || wishes.heal_attempts;
    if (checked && request.choices() > 1)
        return fail_at(ErrorKind::invalid_value, "n",
                       "an answer that is checked is one answer; n must be 1");
    if (!wishes.response_schema_raw.empty())
        return check_schema(wishes.response_schema_raw, "response_schema");
    return checked ? check_schema(request.output.schema_raw, "response_format.json_schema.schema")
                   : Result<void>();
}

}  // namespace runnel::api
