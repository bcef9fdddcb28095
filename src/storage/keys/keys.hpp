#pragma once

#include "access/key.hpp"
#include "storage/audit.hpp"
#include "storage/sql/sql.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

// The keys that were handed out. Every change raises a number in the same transaction, so that each
// replica can ask often, and cheaply, whether there is anything new; and the audit log says who
// made it.
namespace runnel::storage {

Result<std::int64_t> keys_version(Database& database);

struct KeyList {
    std::int64_t version = 0;  // the keys are at least as new
    std::vector<access::Key> keys;
};
Result<KeyList> list_keys(Database& database);
Result<std::optional<access::Key>> find_key(Database& database, std::string_view id);

// invalid_value where the id or the secret's hash is there already.
Result<void> insert_key(Database& database, const access::Key& key, const Actor& by);

// Reads it, changes it, writes it, while nobody else does; the key as it then is. not_found where
// there is none; what `change` refuses is handed on, and nothing is changed. The id stays.
Result<access::Key> change_key(Database& database, std::string_view id, const Actor& by,
                               const std::function<Result<void>(access::Key&)>& change);

// not_found where there is none. What was logged under it stays.
Result<void> delete_key(Database& database, std::string_view id, const Actor& by);

}  // namespace runnel::storage
