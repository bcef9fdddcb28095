#pragma once

#include "json/tree.hpp"

#include <cstddef>
#include <string_view>

// What JSON values are, apart from how they are written: 1, 1.0 and 10e-1 are one number.
namespace runnel::json {

enum class Type { null, boolean, number, string, array, object };

Type type_of(const Node& value);
// "a string", "an object"…
std::string_view with_article(Type type);

// 0 for what is no number.
double number_of(const Node& value);
bool is_integer(const Node& value);
// In characters, not bytes.
std::size_t length_of(std::string_view utf8);

// `compared` grows by the number of values that were looked at. Beyond `most` nothing is equal.
bool equal(const Node& a, const Node& b, std::size_t& compared, std::size_t most);

}  // namespace runnel::json
