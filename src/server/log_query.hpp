#pragma once

#include "access/caller.hpp"
#include "base/result.hpp"
#include "storage/ask.hpp"
#include "storage/records/logs.hpp"
#include "storage/records/usage.hpp"
#include "storage/store_thread.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <string_view>

// What the queries of /v1/logs and /v1/usage ask for. Whoever has a key sees what was asked with
// it; the admin sees everything.
namespace runnel::server {

// Whose requests somebody may see: everybody's, a key's, or those that nobody had a key for.
std::optional<std::string> seen_by(const access::Caller& caller);

struct LogQuery {
    storage::LogFilter filter;
    std::string after;
    std::size_t limit = 20;
    bool counted = false;  // how many there are in all
};
Result<LogQuery> read_log_query(std::string_view query, const access::Caller& caller);

Result<storage::UsageQuery> read_usage_query(std::string_view query, const access::Caller& caller);

// Asks the store that has them; null: it could not be opened.
template <class T>
boost::asio::awaitable<Result<T>> ask_store(storage::StoreThread* store, storage::Query<T> query) {
    if (store == nullptr)
        co_return fail(ErrorKind::store_unavailable,
                       "nothing is recorded here: the store could not be opened when the gateway "
                       "was started; its log says why");
    co_return co_await storage::ask<T>(store, std::move(query));
}

}  // namespace runnel::server
