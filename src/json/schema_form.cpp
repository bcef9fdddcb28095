#include "json/schema_form.hpp"

#include "json/place.hpp"
#include "json/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace runnel::json {
namespace {

constexpr std::array<std::string_view, 7> type_names{"string",  "number", "integer", "object",
                                                     "boolean", "array",  "null"};

// Looks for the first mistake, and remembers where it is.
class FormCheck {
public:
    std::optional<SchemaMistake> mistake_in(const Node& schema) {
        if (is_schema(schema)) return std::nullopt;
        return SchemaMistake{std::move(path_), std::move(what_)};
    }

private:
    using Check = bool (FormCheck::*)(const Node& value);
    struct Known {
        std::string_view keyword;
        Check check;
    };
    static const Known* find_known(std::string_view keyword);

    // Those with `is_` are false where there is a mistake.
    bool is_schema(const Node& schema) {
        if (type_of(schema) == Type::boolean) return true;
        if (!schema.is_object()) return must_be("a JSON Schema: an object, true or false", schema);
        return std::ranges::all_of(schema.members, [&](const Node::Member& member) {
            const Known* known = find_known(member.first);
            if (known == nullptr || type_of(member.second) == Type::null) return true;
            return at_member(member, known->check);
        });
    }

    bool is_schema_list(const Node& value) {
        if (!value.is_array()) return must_be("an array of schemas", value);
        return all_elements(value, &FormCheck::is_schema);
    }

    bool is_schema_map(const Node& value) {
        return all_members(value, "an object that has a schema for each name",
                           &FormCheck::is_schema);
    }

    // An array of schemas was allowed before 2020-12.
    bool is_items(const Node& value) {
        return value.is_array() ? is_schema_list(value) : is_schema(value);
    }

    bool is_names(const Node& value) {
        if (!value.is_array()) return must_be("an array of names", value);
        return all_elements(value, &FormCheck::is_string);
    }

    bool is_names_map(const Node& value) {
        return all_members(value, "an object that has an array of names for each name",
                           &FormCheck::is_names);
    }

    bool is_needs(const Node& value) {
        return value.is_array() ? is_names(value) : is_schema(value);
    }

    bool is_needs_map(const Node& value) {
        return all_members(value, "an object that has names or a schema for each name",
                           &FormCheck::is_needs);
    }

    bool is_type(const Node& value) {
        return value.is_array() ? all_elements(value, &FormCheck::is_type_name)
                                : is_type_name(value);
    }

    bool is_type_name(const Node& value) {
        const bool known =
            value.is_string() && std::ranges::find(type_names, value.text()) != type_names.end();
        return known || must_be(fmt::format("one of {}", fmt::join(type_names, ", ")), value);
    }

    bool is_values(const Node& value) {
        return value.is_array() || must_be("an array of values", value);
    }
    bool is_string(const Node& value) { return value.is_string() || must_be("a string", value); }
    bool is_number(const Node& value) {
        return type_of(value) == Type::number || must_be("a number", value);
    }
    // True or false before draft 6.
    bool is_exclusive(const Node& value) {
        return type_of(value) == Type::boolean || is_number(value);
    }

    bool all_members(const Node& value, std::string_view wanted, Check check) {
        if (!value.is_object()) return must_be(wanted, value);
        return std::ranges::all_of(
            value.members, [&](const Node::Member& member) { return at_member(member, check); });
    }

    bool all_elements(const Node& array, Check check) {
        for (std::size_t i = 0; i < array.elements.size(); ++i) {
            const std::size_t here = path_.size();
            path_ += fmt::format("[{}]", i);
            if (!(this->*check)(array.elements[i])) return false;
            path_.resize(here);
        }
        return true;
    }

    bool at_member(const Node::Member& member, Check check) {
        const std::size_t here = path_.size();
        path_ += step_to_member(member.first);
        if (!(this->*check)(member.second)) return false;
        path_.resize(here);
        return true;
    }

    bool must_be(std::string_view wanted, const Node& value) {
        const bool is_container = value.is_object() || value.is_array();
        what_ = fmt::format("must be {}, not {}", wanted,
                            is_container ? std::string(with_article(type_of(value)))
                                         : shortened(value.raw, shown_bytes));
        return false;
    }

    std::string path_;
    std::string what_;
};

const FormCheck::Known* FormCheck::find_known(std::string_view keyword) {
    static constexpr Known known[] = {
        {"type", &FormCheck::is_type},
        {"enum", &FormCheck::is_values},
        {"$ref", &FormCheck::is_string},
        {"$defs", &FormCheck::is_schema_map},
        {"definitions", &FormCheck::is_schema_map},
        {"allOf", &FormCheck::is_schema_list},
        {"anyOf", &FormCheck::is_schema_list},
        {"oneOf", &FormCheck::is_schema_list},
        {"not", &FormCheck::is_schema},
        {"if", &FormCheck::is_schema},
        {"then", &FormCheck::is_schema},
        {"else", &FormCheck::is_schema},
        {"pattern", &FormCheck::is_string},
        {"prefixItems", &FormCheck::is_schema_list},
        {"items", &FormCheck::is_items},
        {"additionalItems", &FormCheck::is_schema},
        {"contains", &FormCheck::is_schema},
        {"properties", &FormCheck::is_schema_map},
        {"patternProperties", &FormCheck::is_schema_map},
        {"additionalProperties", &FormCheck::is_schema},
        {"propertyNames", &FormCheck::is_schema},
        {"required", &FormCheck::is_names},
        {"dependentRequired", &FormCheck::is_names_map},
        {"dependentSchemas", &FormCheck::is_schema_map},
        {"dependencies", &FormCheck::is_needs_map},
        {"minimum", &FormCheck::is_number},
        {"maximum", &FormCheck::is_number},
        {"exclusiveMinimum", &FormCheck::is_exclusive},
        {"exclusiveMaximum", &FormCheck::is_exclusive},
        {"multipleOf", &FormCheck::is_number},
        {"minLength", &FormCheck::is_number},
        {"maxLength", &FormCheck::is_number},
        {"minItems", &FormCheck::is_number},
        {"maxItems", &FormCheck::is_number},
        {"minContains", &FormCheck::is_number},
        {"maxContains", &FormCheck::is_number},
        {"minProperties", &FormCheck::is_number},
        {"maxProperties", &FormCheck::is_number},
    };
    const auto* found = std::ranges::find(known, keyword, &Known::keyword);
    return found == std::end(known) ? nullptr : found;
}

}  // namespace

std::optional<SchemaMistake> schema_mistake(const Node& schema) {
    return FormCheck().mistake_in(schema);
}

}  // namespace runnel::json
