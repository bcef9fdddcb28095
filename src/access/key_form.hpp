#pragma once

#include "access/auth_settings.hpp"
#include "access/key.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Keys as people describe them: the bodies of the admin API, and what the command line makes of its
// options.
namespace runnel::access {

// What a key may refer to.
struct KeyFormRules {
    std::span<const std::string_view> dialects;
    const AuthSettings* auth;
    std::vector<std::string_view> guardrails;  // their names
};

// A key as the body says, with an id of its own and no secret yet. The error names the field at
// fault.
Result<Key> read_new_key(std::string_view body, const KeyFormRules& rules, UtcTime now,
                         IdSource* ids);

// Changes what the body names; null takes a value away. All of it, or nothing where something is
// wrong.
Result<void> change_key(Key* key, std::string_view body, const KeyFormRules& rules, UtcTime now);

// Ids sort by the time they were made at.
std::string new_key_id(UtcTime now, IdSource* ids);
bool is_key_id(std::string_view text);

}  // namespace runnel::access
