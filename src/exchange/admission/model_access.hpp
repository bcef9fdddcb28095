#pragma once

#include "access/caller.hpp"
#include "chat/request.hpp"
#include "exchange/gateway.hpp"

#include <string_view>

namespace runnel::exchange {

// What the caller's key has to say to what was asked, before anything of the model's own is added.
Result<void> check_models(const Gateway& gateway, const access::Caller& caller,
                          const chat::Request& request);

// What does not exist is refused like what is not the caller's: what others have is not told.
bool may_use(const Gateway& gateway, const access::Caller& caller, std::string_view model);

}  // namespace runnel::exchange
