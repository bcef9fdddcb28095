#pragma once

#include <string>
#include <string_view>

namespace runnel::provider::demo {

// Arguments that fit a tool's JSON Schema, as a JSON object: what a model might have made of a
// request about `topic` (plain text). The same for the same input. An empty or unusable schema gets
// {}.
std::string plausible_arguments(std::string_view schema_raw, std::string_view topic);

}  // namespace runnel::provider::demo
