#pragma once

#include <string>
#include <string_view>

namespace runnel::provider::anthropic {

// A tool's schema as Anthropic takes it: its root says that it is an object. Key order and numbers
// stay.
std::string object_schema(std::string_view schema_raw);

// A schema that Anthropic can enforce. What it can't (ranges, patterns, lengths…) is told to the
// model as a part of the description, so that nothing the client asked for is lost. Key order and
// numbers stay; descriptions move to the end.
std::string enforceable_schema(std::string_view schema_raw);

}  // namespace runnel::provider::anthropic
