#include "dialect/openai_format.hpp"

#include "base/limits.hpp"
#include "json/schema_form.hpp"
#include "json/tree.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

namespace runnel::dialect {
namespace {

using chat::OutputFormat;

constexpr std::string_view healing_options = "healing_options";

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
        if (name == healing_options) return read_healing(field, request.gateway);
        if (name != "schema") return {};
        return store(field.schema(), output.schema_raw);
    });
    if (!read) return read;
    if (output.name.empty()) return value.needs("name");
    if (output.schema_raw.empty()) return value.needs("schema");
    return {};
}

// The object's fields but for one, written by `write`.
template <class Write>
void copy_fields(Value& object, json::Writer& writer, Write write) {
    writer.begin_object();
    static_cast<void>(object.for_each_field([&](std::string_view name, Value& field) {
        write(name, field);
        return Result<void>();
    }));
    writer.end_object();
}

// The providers know nothing of how answers are healed.
std::string without_healing(Value& format) {
    std::string raw;
    json::Writer writer(raw);
    copy_fields(format, writer, [&](std::string_view name, Value& field) {
        writer.key(name);
        if (name != "json_schema") {
            writer.raw(field.raw());
            return;
        }
        copy_fields(field, writer, [&](std::string_view inner, Value& value) {
            if (inner != healing_options) writer.key(inner).raw(value.raw());
        });
    });
    return raw;
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

Result<std::string> read_response_format(Value& value, chat::Request& request) {
    if (!value.is_object()) return value.must_be("an object with a type");
    const std::string type = value.text_of("type");
    if (type.empty()) return value.needs("type");
    if (type == "text") return {};
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
    if (!read) return propagate(read);
    if (request.output.kind != OutputFormat::Kind::json_schema) return value.needs("json_schema");
    return request.gateway.heal_attempts ? without_healing(value) : std::string();
}

Result<void> check_format(const chat::Request& request) {
    const chat::GatewayWishes& wishes = request.gateway;
    if (wishes.json_only && !request.tools.empty())
        return fail_at(ErrorKind::invalid_value, "json_only",
                       "json_only and tools contradict each other: a call to a tool is no JSON "
                       "answer; leave one of them out");
    const bool checked =
        wishes.json_only || !wishes.response_schema_raw.empty() || wishes.heal_attempts;
    if (checked && request.n > 1)
        return fail_at(ErrorKind::invalid_value, "n",
                       "an answer that is checked is one answer; n must be 1");
    if (!wishes.response_schema_raw.empty())
        return check_schema(wishes.response_schema_raw, "response_schema");
    return checked ? check_schema(request.output.schema_raw, "response_format.json_schema.schema")
                   : Result<void>();
}

}  // namespace runnel::dialect
