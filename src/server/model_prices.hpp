#pragma once

#include "exchange/gateway.hpp"

#include <string>

namespace runnel::server {

// GET /admin/v1/prices: what each listed provider/model costs, where that is known, in US dollars
// per million tokens.
std::string prices_answer(const exchange::Gateway& gateway);

}  // namespace runnel::server
