#include "provider/anthropic/schema.hpp"

#include "base/is_in.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"
#include "provider/core/json_fields.hpp"

#include <array>

namespace runnel::provider::anthropic {
namespace {

using json::ondemand::value;

constexpr std::array<std::string_view, 26> unenforceable{"minimum",
                                                         "maximum",
                                                         "exclusiveMinimum",
                                                         "exclusiveMaximum",
                                                         "multipleOf",
                                                         "minLength",
                                                         "maxLength",
                                                         "pattern",
                                                         "minItems",
                                                         "maxItems",
                                                         "uniqueItems",
                                                         "contains",
                                                         "prefixItems",
                                                         "minProperties",
                                                         "maxProperties",
                                                         "patternProperties",
                                                         "propertyNames",
                                                         "dependentRequired",
                                                         "dependentSchemas",
                                                         "dependencies",
                                                         "unevaluatedItems",
                                                         "not",
                                                         "unevaluatedProperties",
                                                         "if",
                                                         "then",
                                                         "else"};
constexpr std::array<std::string_view, 10> known_formats{
    "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"};

std::string compact(std::string_view raw) {
    std::string out;
    json::append_compact(out, raw);
    return out;
}

class Cleaner {
public:
    explicit Cleaner(std::string& out) : out_(out), writer_(out) {}

    void schema(value source) {
        if (!is(source, json::ondemand::json_type::object)) {  // true and false are schemas too
            copy(source);
            return;
        }
        const std::size_t before = out_.size();
        Seen seen;
        writer_.begin_object();
        for_each_field(source,
                       [&](std::string_view name, value field) { keyword(name, field, seen); });
        if (!seen.ref.empty()) {
            // Nothing may stand beside a reference.
            out_.resize(before);
            writer_.begin_object().key("$ref").raw(seen.ref).end_object();
            return;
        }
        if (seen.object) writer_.key("additionalProperties").boolean(false);
        description(seen);
        writer_.end_object();
    }

private:
    struct Seen {
        std::string_view description{};  // escaped
        std::string notes{};             // escaped; what can't be enforced
        std::string_view ref{};          // raw
        bool object = false;
    };

    static bool is(value source, json::ondemand::json_type type) {
        json::ondemand::json_type found;
        return !source.type().get(found) && found == type;
    }

    void copy(value source) {
        std::string_view raw;
        if (json::raw_value(source, raw)) writer_.raw(compact(raw));
    }

    void keyword(std::string_view name, value field, Seen& seen) {
        if (name == "description") {
            json::escaped_string(field, seen.description);
        } else if (name == "$ref") {
            json::raw_value(field, seen.ref);
        } else if (name == "additionalProperties") {
            seen.object = true;
        } else if (name == "format") {
            std::string_view format;
            json::escaped_string(field, format);
            if (is_in(format, known_formats)) {
                key(name).escaped(format);
            } else {
                note(name, field, seen);
            }
        } else if (is_in(name, unenforceable)) {
            note(name, field, seen);
        } else {
            kept_keyword(name, field, seen);
        }
    }

    void kept_keyword(std::string_view name, value field, Seen& seen) {
        if (name == "properties" || name == "$defs" || name == "definitions") {
            seen.object = seen.object || name == "properties";
            key(name).begin_object();
            for_each_field(field, [&](std::string_view property, value child) {
                key(property);
                schema(child);
            });
            writer_.end_object();
        } else if (name == "anyOf" || name == "oneOf" || name == "allOf") {
            key(name == "oneOf" ? "anyOf" : name).begin_array();
            for_each_element(field, [&](value child) { schema(child); });
            writer_.end_array();
        } else if (name == "items") {
            key(name);
            schema(field);
        } else {
            std::string_view type;
            if (name == "type" && json::escaped_string(field, type))
                seen.object = seen.object || type == "object";
            key(name);
            copy(field);
        }
    }

    // Keys come escaped and go out as they came.
    json::Writer& key(std::string_view escaped) {
        writer_.escaped(escaped);
        out_ += ':';
        return writer_;
    }

    void note(std::string_view name, value field, Seen& seen) {
        std::string_view raw;
        if (!json::raw_value(field, raw)) return;
        if (!seen.notes.empty()) seen.notes += ", ";
        seen.notes.append(name).append(": ");
        json::append_escaped(seen.notes, compact(raw));
    }

    void description(const Seen& seen) {
        if (seen.description.empty() && seen.notes.empty()) return;
        std::string text(seen.description);
        if (!seen.notes.empty()) {
            if (!text.empty()) text += ' ';
            text.append("(").append(seen.notes).append(")");
        }
        writer_.key("description").escaped(text);
    }

    std::string& out_;
    json::Writer writer_;
};

}  // namespace

std::string object_schema(std::string_view schema_raw) {
    if (schema_raw.empty()) return R"({"type":"object","properties":{}})";
    std::string schema = compact(schema_raw);
    json::Parser parser;
    json::ondemand::document document;
    value root;
    if (parser.parse(Padded::of(schema), document) || document.get_value().get(root)) return schema;
    bool typed = false;
    for_each_field(root, [&](std::string_view name, value) { typed = typed || name == "type"; });
    if (typed || !schema.starts_with('{')) return schema;
    schema.insert(1, schema == "{}" ? R"("type":"object")" : R"("type":"object",)");
    return schema;
}

std::string enforceable_schema(std::string_view schema_raw) {
    std::string text(schema_raw);
    std::string out;
    json::Parser parser;
    json::ondemand::document document;
    value root;
    if (parser.parse(Padded::of(text), document) || document.get_value().get(root)) return text;
    Cleaner(out).schema(root);
    return out;
}

}  // namespace runnel::provider::anthropic
