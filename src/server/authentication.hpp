#pragma once

#include "access/auth_settings.hpp"
#include "access/caller.hpp"
#include "access/key_ring.hpp"
#include "access/scope.hpp"
#include "base/result.hpp"
#include "server/admin/admin_access.hpp"
#include "server/arrival.hpp"

#include <memory>

namespace runnel::server {

// What the gateway knows about who may ask. A view.
struct Gatekeeper {
    const access::AuthSettings* settings;
    const std::shared_ptr<const access::KeyRing>* ring;  // of this moment; may point to null
    AdminProof admin;
    PageRules pages;
};

// Who sends the request, and whether they may for this. Logs and usage are for the admin too, and
// everything for the admin in the console or at the local socket. The error is what the client is
// told.
Result<access::Caller> authenticate(const Arrival& arrival, const Gatekeeper& gatekeeper,
                                    access::Scope scope, access::UtcTime now);

// The key that a request brings, whatever it may be used for; null: none that is known.
std::shared_ptr<const access::Key> key_of(const http::Request& request,
                                          const Gatekeeper& gatekeeper, access::UtcTime now);

}  // namespace runnel::server
