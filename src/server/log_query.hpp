#pragma once

#include "base/result.hpp"
#include "policy/caller.hpp"
#include "store/logs.hpp"
#include "store/usage.hpp"

#include <string>
#include <string_view>
#include <vector>

// What the queries of /v1/logs and /v1/usage ask for.
namespace runnel::server {

// Whose requests somebody may see: everybody's, a key's, or those that nobody
// had a key for.
std::optional<std::string> seen_by(const policy::Caller& caller);

struct LogQuery {
    store::LogFilter filter;
    std::string after;
    std::size_t limit = 20;
    bool counted = false;  // how many there are in all
};
Result<LogQuery> read_log_query(std::string_view query, const policy::Caller& caller);

Result<store::UsageQuery> read_usage_query(std::string_view query, const policy::Caller& caller);
std::string usage_json(const store::UsageQuery& query, const std::vector<store::UsageSum>& sums);

}  // namespace runnel::server
