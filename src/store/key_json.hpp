#pragma once

#include "base/result.hpp"
#include "policy/key.hpp"

#include <string>

namespace runnel::store {

// Those of a key's members that nobody looks keys up by, as one JSON object.
std::string rules_json(const policy::Key& key);
// Puts them back into the key. Names that it does not know are left alone: another version may.
Result<void> read_rules(std::string json, policy::Key& key);

}  // namespace runnel::store
