#include "provider/demo/arguments.hpp"

#include "base/utf8.hpp"
#include "json/values.hpp"
#include "json/writer.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace runnel::provider::demo {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr int depth_max = 8;  // schemas may refer to themselves
constexpr std::uint64_t elements_max = 16;
constexpr std::uint64_t characters_max = 1'000;

struct Example {
    std::string_view word;  // in the property's name or its format
    std::string_view value;
};

constexpr std::array examples{
    Example{"date-time", "2026-01-31T12:00:00Z"},
    Example{"date", "2026-01-31"},
    Example{"timezone", "Europe/Oslo"},
    Example{"zone", "Europe/Oslo"},
    Example{"time", "12:00:00"},
    Example{"email", "someone@example.com"},
    Example{"url", "https://example.com/"},
    Example{"uri", "https://example.com/"},
    Example{"path", "."},
    Example{"uuid", "00000000-0000-4000-8000-000000000000"},
    Example{"city", "Oslo"},
    Example{"location", "Oslo"},
    Example{"place", "Oslo"},
    Example{"country", "Norway"},
    Example{"unit", "celsius"},
    Example{"name", "Ada"},
};

std::string_view text_of(element schema, std::string_view field) {
    std::string_view text;
    static_cast<void>(schema[field].get_string().get(text));
    return text;
}

// The schema's type; of several the first that is not null.
std::string_view type_of(element schema) {
    array types;
    if (schema["type"].get_array().get(types)) return text_of(schema, "type");
    for (element type : types) {
        std::string_view name;
        if (!type.get_string().get(name) && name != "null") return name;
    }
    return {};
}

class PlausibleValue {
public:
    PlausibleValue(element root, const Question& question, std::string& out)
        : root_(root),
          question_(question),
          writer_(out) {}

    void write(element schema, std::string_view name, int depth) {
        if (depth > depth_max) {
            writer_.null();
            return;
        }
        if (const std::string_view value = asked_value(schema, name); !value.empty()) {
            writer_.string(value);
            return;
        }
        if (write_given(schema)) return;
        if (const auto other = other_schema(schema)) {
            write(*other, name, depth + 1);
            return;
        }
        const std::string_view type = type_of(schema);
        object properties;
        if (type == "object" || !schema["properties"].get_object().get(properties))
            write_object(schema, depth);
        else if (type == "array")
            write_array(schema, name, depth);
        else if (type == "integer" || type == "number")
            write_number(schema, type);
        else if (type == "boolean")
            writer_.boolean(true);
        else if (type == "null")
            writer_.null();
        else
            write_text(schema, name);
    }

private:
    // The value that the question has: a choice of the schema's, or what the name asks for; empty
    // if it has none.
    std::string_view asked_value(element schema, std::string_view name) const {
        array choices;
        if (schema["enum"].get_array().get(choices))
            return type_of(schema) == "string" ? question_.value_for(name) : std::string_view();
        for (element choice : choices) {
            std::string_view text;
            if (!choice.get_string().get(text) && !question_.mention_of(text).empty()) return text;
        }
        return {};
    }

    // A value that the schema itself names.
    bool write_given(element schema) {
        element value;
        array list;
        const bool given = !schema["const"].get(value) || !schema["default"].get(value) ||
                           (!schema["enum"].get_array().get(list) && !list.at(0).get(value)) ||
                           (!schema["examples"].get_array().get(list) && !list.at(0).get(value));
        if (given) writer_.raw(simdjson::minify(value));
        return given;
    }

    // The schema that this one stands for: a local reference, or the first of alternatives.
    std::optional<element> other_schema(element schema) {
        const std::string_view reference = text_of(schema, "$ref");
        element other;
        if (reference.starts_with("#/") && !root_.at_pointer(reference.substr(1)).get(other))
            return other;
        for (const char* field : {"anyOf", "oneOf", "allOf"}) {
            array list;
            if (schema[field].get_array().get(list)) continue;
            for (element each : list)
                if (type_of(each) != "null") return each;
        }
        return std::nullopt;
    }

    void write_object(element schema, int depth) {
        writer_.begin_object();
        object properties;
        if (!schema["properties"].get_object().get(properties)) {
            for (const auto [name, property] : properties) {
                if (!is_required(schema, name) && asked_value(property, name).empty()) continue;
                writer_.key(name);
                write(property, name, depth + 1);
            }
        }
        writer_.end_object();
    }

    // Where a schema does not say what it requires, everything is worth a value.
    static bool is_required(element schema, std::string_view name) {
        array required;
        if (schema["required"].get_array().get(required)) return true;
        return std::any_of(required.begin(), required.end(), [&](element each) {
            std::string_view text;
            return !each.get_string().get(text) && text == name;
        });
    }

    void write_array(element schema, std::string_view name, int depth) {
        writer_.begin_array();
        array prefix;
        element items;
        std::uint64_t count = 0;
        if (!schema["prefixItems"].get_array().get(prefix))
            for (element each : prefix) {
                write(each, name, depth + 1);
                ++count;
            }
        const bool takes_more = !schema["items"].get(items) && items.is_object();
        const std::uint64_t wanted = std::min(count_of(schema, "minItems", 1), elements_max);
        for (; takes_more && count < wanted; ++count) write(items, name, depth + 1);
        writer_.end_array();
    }

    void write_number(element schema, std::string_view type) {
        double value = 1;
        double bound = 0;
        if (!schema["minimum"].get(bound)) value = std::max(value, bound);
        if (!schema["exclusiveMinimum"].get(bound)) value = std::max(value, std::floor(bound) + 1);
        if (!schema["maximum"].get(bound)) value = std::min(value, bound);
        if (!schema["exclusiveMaximum"].get(bound)) value = std::min(value, std::ceil(bound) - 1);
        if (type == "integer" && std::abs(value) < 9e15)
            writer_.number(static_cast<std::int64_t>(std::ceil(value)));
        else
            writer_.real(value);
    }

    void write_text(element schema, std::string_view name) {
        std::string text(text_for(name, text_of(schema, "format")));
        const auto length = std::min(count_of(schema, "minLength", 0), characters_max);
        while (json::length_of(text) < length) text += '.';
        const auto most = count_of(schema, "maxLength", characters_max);
        while (json::length_of(text) > most) text = utf8_prefix(text, text.size() - 1);
        writer_.string(text);
    }

    static std::uint64_t count_of(element schema, std::string_view keyword, std::uint64_t usual) {
        std::uint64_t count = usual;
        static_cast<void>(schema[keyword].get_uint64().get(count));
        return count;
    }

    std::string_view text_for(std::string_view name, std::string_view format) const {
        for (const std::string_view word : {format, name})
            for (const Example& example : examples)
                if (word.contains(example.word)) return example.value;
        return question_.topic();
    }

    element root_;
    const Question& question_;
    json::Writer writer_;
};

std::optional<element> parsed(std::string_view schema_raw, simdjson::dom::parser& parser) {
    element schema;
    if (schema_raw.empty() || parser.parse(schema_raw.data(), schema_raw.size()).get(schema) ||
        !schema.is_object())
        return std::nullopt;
    return schema;
}

}  // namespace

std::string plausible_value(std::string_view schema_raw, const Question& question) {
    simdjson::dom::parser parser;
    const auto schema = parsed(schema_raw, parser);
    if (!schema) return "null";
    std::string out;
    PlausibleValue(*schema, question, out).write(*schema, "", 0);
    return out;
}

std::string plausible_arguments(std::string_view schema_raw, const Question& question) {
    std::string value = plausible_value(schema_raw, question);
    return value.starts_with('{') ? value : "{}";
}

std::vector<std::string> argument_names(std::string_view schema_raw) {
    simdjson::dom::parser parser;
    std::vector<std::string> names;
    const auto schema = parsed(schema_raw, parser);
    object properties;
    if (!schema || (*schema)["properties"].get_object().get(properties)) return names;
    for (const auto [name, property] : properties) names.emplace_back(name);
    return names;
}

}  // namespace runnel::provider::demo
