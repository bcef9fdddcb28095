#pragma once

#include "base/result.hpp"
#include "http/request_reader.hpp"
#include "policy/caller.hpp"
#include "policy/key_ring.hpp"
#include "policy/scope.hpp"
#include "policy/settings.hpp"
#include "server/sessions.hpp"

#include <memory>
#include <string_view>

namespace runnel::server {

// What the gateway knows about who may ask. A view.
struct Gatekeeper {
    const policy::AuthSettings* settings;
    const Secret* admin_token;
    const std::shared_ptr<const policy::KeyRing>* ring;  // of this moment; may point to null
    const Sessions* sessions;                            // of the console
};

// Who sends the request, and whether they may for this. Logs and usage are for the admin too, and
// everything for the admin in the console. The error is what the client is told.
Result<policy::Caller> authenticate(const http::Request& request, std::string_view client_address,
                                    const Gatekeeper& gatekeeper, policy::Scope scope,
                                    policy::UtcTime now);

// The key that a request brings, whatever it may be used for; null: none that is known.
std::shared_ptr<const policy::Key> key_of(const http::Request& request,
                                          const Gatekeeper& gatekeeper, policy::UtcTime now);

}  // namespace runnel::server
