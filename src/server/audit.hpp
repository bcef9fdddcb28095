#pragma once

#include "base/result.hpp"
#include "store/audit.hpp"
#include "store/store_thread.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

// What the admin API has to do with the audit log, besides keys, which write their own entries.
namespace runnel::server {

// GET /admin/v1/audit?action=&subject=&after=&limit=, newest first. A null store is one that could
// not be opened.
boost::asio::awaitable<Result<std::string>> list_audit(store::StoreThread* queries,
                                                       std::string query);

// Notes what was done, without waiting for it; where it can't be stored, the log has it.
void note_action(store::StoreThread* queries, store::Actor by, std::string action,
                 std::string subject, std::string changes_json);

}  // namespace runnel::server
