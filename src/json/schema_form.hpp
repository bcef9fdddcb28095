#pragma once

#include "json/tree.hpp"

#include <optional>
#include <string>

namespace runnel::json {

// What is plainly wrong with a JSON Schema, so that it can't mean what its author wants: where
// (".properties.price.type", from the schema on) and what must be there. Keywords that nobody knows
// may say anything, and null says nothing.
struct SchemaMistake {
    std::string place;
    std::string what;  // "must be a number, not a string"
};
std::optional<SchemaMistake> schema_mistake(const Node& schema);

}  // namespace runnel::json
