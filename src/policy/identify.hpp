#pragma once

#include "base/result.hpp"
#include "policy/caller.hpp"
#include "policy/credentials.hpp"
#include "policy/key_check.hpp"
#include "policy/key_ring.hpp"

#include <memory>

namespace runnel::policy {

// Who asks, and whether they may: by the gateway's settings, the keys there are, and the time. A
// null ring is one that could not be read yet. The error is what the client is told.
Result<Caller> identify(const Credentials& credentials, const AuthSettings& settings,
                        const std::shared_ptr<const KeyRing>& ring, const Visit& visit,
                        UtcTime now);

}  // namespace runnel::policy
