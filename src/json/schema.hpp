#pragma once

#include "json/tree.hpp"

#include <string>
#include <vector>

namespace runnel::json {

// What keeps `value` from fitting a JSON Schema, in short sentences that name the place
// ("$.items[2].price must be a number, not a string"): the first few; none when it fits. Knows the
// drafts from 6 to 2020-12 as far as they describe a value; `format` and keywords that nobody knows
// mean nothing, nor do references to other documents and patterns beyond RE2. The work is bounded:
// a schema that runs in circles is a problem of its own.
std::vector<std::string> schema_problems(const Node& schema, const Node& value);

}  // namespace runnel::json
