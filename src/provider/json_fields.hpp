#pragma once

#include "json/parser.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace runnel::provider {

// Calls `read(name, value)` for each field of an object, in the order of the document. Names stay
// escaped: those that anybody looks for have nothing to escape.
template <class Read>
simdjson::error_code for_each_field(json::ondemand::object object, Read&& read) {
    for (auto result : object) {
        json::ondemand::field field;
        if (const auto error = std::move(result).get(field)) return error;
        read(json::escaped_key(field), field.value());
    }
    return simdjson::SUCCESS;
}

// The same for a value that should be an object; anything else has no fields.
template <class Read>
simdjson::error_code for_each_field(json::ondemand::value value, Read&& read) {
    json::ondemand::object object;
    if (value.get_object().get(object)) return simdjson::SUCCESS;
    return for_each_field(object, read);
}

// Calls `read(element)` for each element of an array; anything else has none.
template <class Read>
simdjson::error_code for_each_element(json::ondemand::value value, Read&& read) {
    json::ondemand::array array;
    if (value.get_array().get(array)) return simdjson::SUCCESS;
    for (auto result : array) {
        json::ondemand::value element;
        if (const auto error = std::move(result).get(element)) return error;
        read(element);
    }
    return simdjson::SUCCESS;
}

// A number of tokens; what is no number leaves `out` alone. Far above any real count, and far
// enough from the end of the type that sums can't overflow, it is cut off.
inline void read_count(json::ondemand::value value, std::optional<std::int64_t>& out) {
    constexpr std::int64_t count_max = 1'000'000'000'000;
    std::int64_t count = 0;
    if (json::integer(value, count)) out = std::clamp<std::int64_t>(count, 0, count_max);
}

// True for the JSON value true alone.
inline bool is_true(json::ondemand::value value) {
    bool flag = false;
    return !value.get_bool().get(flag) && flag;
}

}  // namespace runnel::provider
