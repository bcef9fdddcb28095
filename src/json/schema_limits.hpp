#pragma once

#include "json/tree.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace runnel::json {

// What is wrong with the size of a value (of a number, of a string's or container's length) by one
// keyword of a schema: minimum, maxLength, minItems, multipleOf… Nothing when it fits, when the
// keyword is another one, or when it speaks of another type of value.
std::optional<std::string> limit_problem(std::string_view keyword, const Node& limit,
                                         const Node& value);

}  // namespace runnel::json
