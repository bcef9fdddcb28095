#pragma once

#include "storage/audit.hpp"
#include "storage/store_thread.hpp"

#include <string>

namespace runnel::server {

// Has the audit log note what was done, without waiting for it; where it can't be stored, the
// gateway's log has it. Changes of keys are stored with their entries: see storage/keys.hpp.
void note_action(storage::StoreThread* queries, storage::Actor by, std::string action,
                 std::string subject, std::string changes_json);

}  // namespace runnel::server
