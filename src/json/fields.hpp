#pragma once

#include "json/parser.hpp"

#include <utility>

// Walking objects and arrays of a document, each value once, in the order they stand there.
namespace runnel::json {

// Calls `read(name, value)` for each field of an object, in the order of the document. Names stay
// escaped: those that anybody looks for have nothing to escape.
template <class Read>
simdjson::error_code for_each_field(ondemand::object object, Read&& read) {
    for (auto result : object) {
        ondemand::field field;
        if (const auto error = std::move(result).get(field)) return error;
        read(escaped_key(field), field.value());
    }
    return simdjson::SUCCESS;
}

// The same for a value that should be an object; anything else has no fields.
template <class Read>
simdjson::error_code for_each_field(ondemand::value value, Read&& read) {
    ondemand::object object;
    if (value.get_object().get(object)) return simdjson::SUCCESS;
    return for_each_field(object, read);
}

// Calls `read(element)` for each element of an array; anything else has none.
template <class Read>
simdjson::error_code for_each_element(ondemand::value value, Read&& read) {
    ondemand::array array;
    if (value.get_array().get(array)) return simdjson::SUCCESS;
    for (auto result : array) {
        ondemand::value element;
        if (const auto error = std::move(result).get(element)) return error;
        read(element);
    }
    return simdjson::SUCCESS;
}

// True for the JSON value true alone.
inline bool is_true(ondemand::value value) {
    bool flag = false;
    return !value.get_bool().get(flag) && flag;
}

}  // namespace runnel::json
