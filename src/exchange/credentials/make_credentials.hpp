#pragma once

#include "config/config.hpp"
#include "provider/credentials/credentials.hpp"
#include "provider/credentials/outside.hpp"
#include "provider/provider.hpp"

#include <memory>
#include <vector>

namespace runnel::exchange {

// Who the gateway is to this provider: one for each key that the config gives it, else one.
// `outside` must outlive them; it is used by those that are more than a key.
std::vector<std::unique_ptr<provider::Credentials>>
make_credentials(const config::Provider& config, const provider::Provider& provider,
                 provider::Outside* outside);

}  // namespace runnel::exchange
