#pragma once

#include "base/result.hpp"
#include "policy/caller.hpp"
#include "store/store_thread.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>

// What was asked, as it is looked up: GET /v1/logs, /v1/logs/{id} and
// /v1/usage. Whoever has a key sees what was asked with it; the admin sees
// everything.
namespace runnel::server {

// One of the store's threads, which all requests share.
using Queries = store::StoreThread;

// The page that the query asks for, newest first.
boost::asio::awaitable<Result<std::string>> list_logs(Queries* store, std::string query,
                                                      policy::Caller caller);

// One request, by its completion id or its request id.
boost::asio::awaitable<Result<std::string>> find_log(Queries* store, std::string id,
                                                     policy::Caller caller);

// What was said in it, with the times at which it was: the archive of its
// timeline.
boost::asio::awaitable<Result<std::string>> find_content(Queries* store, std::string id,
                                                         policy::Caller caller);

// The next lines of an export, one JSON object each, and where the ones after
// them begin.
struct ExportPage {
    std::string lines;
    std::string after;  // empty: that was the last
};
boost::asio::awaitable<Result<ExportPage>> export_logs(Queries* store, std::string query,
                                                       std::string after, policy::Caller caller);

// Deletes what was said in one request; the body tells how many there were.
boost::asio::awaitable<Result<std::string>> forget_log_content(Queries* store, std::string id);

// Sums of what was used, by what the query groups them.
boost::asio::awaitable<Result<std::string>> sum_usage(Queries* store, std::string query,
                                                      policy::Caller caller);

}  // namespace runnel::server
