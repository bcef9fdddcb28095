#pragma once

#include "base/result.hpp"
#include "policy/caller.hpp"
#include "policy/key_ring.hpp"
#include "policy/scope.hpp"
#include "policy/settings.hpp"
#include "server/admin_access.hpp"
#include "server/arrival.hpp"
#include "server/cors.hpp"
#include "server/own_page.hpp"

#include <memory>

namespace runnel::server {

// What the gateway knows about who may ask. A view.
struct Gatekeeper {
    const policy::AuthSettings* settings;
    const std::shared_ptr<const policy::KeyRing>* ring;  // of this moment; may point to null
    AdminProof admin;
    PageRules pages;
};

// Who sends the request, and whether they may for this. Logs and usage are for the admin too, and
// everything for the admin in the console or at the local socket. The error is what the client is
// told.
Result<policy::Caller> authenticate(const Arrival& arrival, const Gatekeeper& gatekeeper,
                                    policy::Scope scope, policy::UtcTime now);

// The key that a request brings, whatever it may be used for; null: none that is known.
std::shared_ptr<const policy::Key> key_of(const http::Request& request,
                                          const Gatekeeper& gatekeeper, policy::UtcTime now);

// Whose pages may read the answer to a request; to a browser's question whether it may be sent,
// which has no key yet, those of all keys.
Pages pages_for(const http::Request& request, const Gatekeeper& gatekeeper, policy::UtcTime now);

}  // namespace runnel::server
