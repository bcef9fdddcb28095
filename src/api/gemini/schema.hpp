#pragma once

#include <string>
#include <string_view>

namespace runnel::api::gemini {

// A schema in Google's part of OpenAPI's language, as a JSON Schema: types in lower case, null as a
// type, counts as numbers. What is JSON Schema already stays as it is.
std::string json_schema(std::string_view openapi_raw);

}  // namespace runnel::api::gemini
