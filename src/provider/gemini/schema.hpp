#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace runnel::provider::gemini {

// A JSON Schema in the part of OpenAPI's language that Gemini understands. Key order and numbers
// stay as they were.
struct Schema {
    std::string text{};      // empty: an object without any properties, which Gemini wants left out
    bool sanitised = false;  // something had to be dropped or said in another way
    bool recursive = false;  // it contains itself, which OpenAPI's language can't say
};

// Gemini sorts an answer's members by name unless told not to.
enum class PropertyOrder { implied, spelled_out };

// Local references are replaced by what they stand for. Fails when `raw` is no JSON or grows past
// all measure.
Result<Schema> openapi_schema(std::string_view raw, PropertyOrder order);

}  // namespace runnel::provider::gemini
