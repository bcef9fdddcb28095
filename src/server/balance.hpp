#pragma once

#include "base/result.hpp"
#include "policy/caller.hpp"
#include "policy/meter.hpp"
#include "policy/settings.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace runnel::server {

// What the caller may still spend: of the key's budget and of its team's. Both are null where there
// is none. The pointers must outlive it.
boost::asio::awaitable<Result<std::string>> read_balance(policy::Meter* meter,
                                                         policy::Caller caller,
                                                         const policy::SharedLimits* limits,
                                                         policy::UtcTime now);

// The same of counters that are known: one standing for each hold of the claim.
std::string balance_json(const policy::Claim& budgets,
                         const std::vector<policy::Standing>& standings, policy::UtcTime now);

}  // namespace runnel::server
