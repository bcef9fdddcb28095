#pragma once

#include "api/request_value.hpp"

#include <string>
#include <string_view>
#include <utility>

// Google's JSON: names may be written max_output_tokens for maxOutputTokens, and a list of one may
// be written as the one.
namespace runnel::api::gemini {

inline std::string camel_case(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool joins = name[i] == '_' && i > 0 && i + 1 < name.size() && name[i + 1] >= 'a' &&
                           name[i + 1] <= 'z';
        out += joins ? static_cast<char>(name[++i] - 'a' + 'A') : name[i];
    }
    return out;
}

// Calls on_field(name, value) for each field, with its name in camel case.
template <class OnField>
Result<void> for_each_named_field(Value& value, OnField on_field) {
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (!name.contains('_')) return on_field(name, field);
        const std::string camel = camel_case(name);
        return on_field(std::string_view(camel), field);
    });
}

// Calls on_element(index, value) for each element, or for the value that stands in a list's place.
template <class OnElement>
Result<void> for_one_or_each(Value& value, OnElement on_element) {
    return value.is_object() ? on_element(std::size_t{0}, value)
                             : value.for_each_element(on_element);
}

// A field that only Gemini has, under its name in camel case.
inline Result<void> keep_named(std::string_view camel, const Value& field, chat::Request& request,
                               chat::Extras& extras) {
    auto kept = keep_extra(field, request, extras);
    if (kept && extras.back().name != camel) extras.back().name = request.keep(std::string(camel));
    return kept;
}

}  // namespace runnel::api::gemini
