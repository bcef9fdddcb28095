#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

// Forgiving looks into JSON: providers leave fields out, send null, or send another type.
namespace runnel::conformance {

using Json = nlohmann::ordered_json;

// The field, or null when this is no object or has no such field.
inline const Json& field(const Json& object, const char* name) {
    static const Json null;
    if (!object.is_object()) return null;
    const auto found = object.find(name);
    return found == object.end() ? null : *found;
}

inline std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
}

inline std::string text_field(const Json& object, const char* name) {
    return text_of(field(object, name));
}

inline std::optional<std::int64_t> count_field(const Json& object, const char* name) {
    const Json& value = field(object, name);
    if (!value.is_number()) return std::nullopt;
    return value.get<std::int64_t>();
}

inline Json parse_or_null(const std::string& text) {
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json() : value;
}

}  // namespace runnel::conformance
