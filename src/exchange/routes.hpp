#pragma once

#include "config/config.hpp"
#include "router/router.hpp"

#include <vector>

namespace runnel::exchange {

// Which names the config gives to what. `providers` are the config's and the built-in one, in the
// order that targets count them. The error names the model at fault.
Result<router::Router> make_router(const config::Config& config,
                                   const std::vector<config::Provider>& providers);

}  // namespace runnel::exchange
