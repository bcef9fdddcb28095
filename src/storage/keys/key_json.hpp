#pragma once

#include "access/key.hpp"
#include "base/result.hpp"

#include <string>

namespace runnel::storage {

// Those of a key's members that nobody looks keys up by, as one JSON object.
std::string rules_json(const access::Key& key);
// Puts them back into the key. Names that it does not know are left alone: another version may.
Result<void> read_rules(std::string json, access::Key& key);

}  // namespace runnel::storage
