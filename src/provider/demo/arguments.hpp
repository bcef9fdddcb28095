#pragma once

#include "provider/demo/question.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::demo {

// A value that fits a JSON Schema, or as good as: what a model might have made of the question. The
// same for the same input; an unusable schema gets null.
std::string plausible_value(std::string_view schema_raw, const Question& question);

// Arguments that fit a tool's JSON Schema, in the same way: always a JSON object.
std::string plausible_arguments(std::string_view schema_raw, const Question& question);

// The names of a tool's arguments, in the schema's order.
std::vector<std::string> argument_names(std::string_view schema_raw);

}  // namespace runnel::provider::demo
