#pragma once

#include "json/tree.hpp"

#include <string_view>

namespace runnel::json {

// What a reference like "#/$defs/item" stands for within its document; null when there is nothing,
// or when it leads to another document.
const Node* at_reference(const Node& root, std::string_view reference);

}  // namespace runnel::json
