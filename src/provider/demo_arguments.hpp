#pragma once

#include "provider/demo_question.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::demo {

// Arguments that fit a tool's JSON Schema, as a JSON object: what a model might have made of the
// question. The same for the same input. An empty or unusable schema gets {}.
std::string plausible_arguments(std::string_view schema_raw, const Question& question);

// The names of a tool's arguments, in the schema's order.
std::vector<std::string> argument_names(std::string_view schema_raw);

}  // namespace runnel::provider::demo
