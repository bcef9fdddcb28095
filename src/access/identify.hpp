#pragma once

#include "access/caller.hpp"
#include "access/credentials.hpp"
#include "access/key_check.hpp"
#include "access/key_ring.hpp"
#include "base/result.hpp"

#include <memory>

namespace runnel::access {

// Who asks, and whether they may: by the gateway's settings, the keys there are, and the time. A
// null ring is one that could not be read yet. The error is what the client is told.
Result<Caller> identify(const Credentials& credentials, const AuthSettings& settings,
                        const std::shared_ptr<const KeyRing>& ring, const Visit& visit,
                        UtcTime now);

}  // namespace runnel::access
