#pragma once

#include "access/key.hpp"
#include "metering/claim.hpp"
#include "metering/meter.hpp"

#include <string>
#include <vector>

namespace runnel::server {

// What may still be spent: of the key's budget and of its team's. Both are null where there is
// none. One standing for each hold of the claim.
std::string balance_json(const metering::Claim& budgets,
                         const std::vector<metering::Standing>& standings, access::UtcTime now);

}  // namespace runnel::server
