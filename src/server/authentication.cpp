#include "server/authentication.hpp"

#include "policy/identify.hpp"
#include "server/admin_access.hpp"
#include "server/url.hpp"

namespace runnel::server {
namespace {

using policy::AuthSettings;
using policy::Caller;
using policy::Scope;

std::string query_key(const http::Request& request, const AuthSettings& settings) {
    if (!settings.key_in_query) return {};
    for (auto& [name, value] : query_fields(request.query()))
        if (name == "api-key") return std::move(value);
    return {};
}

policy::Credentials credentials_of(const http::Request& request, std::string_view query_key,
                                   const AuthSettings& settings) {
    const http::HeaderList& headers = request.headers;
    return policy::read_credentials({headers.get("Authorization"), headers.get("X-API-Key"),
                                     query_key, headers.get(settings.header)},
                                    settings);
}

// Whoever brings a key there wants to be asked as its owner.
bool asks_from_console(const http::Request& request, const Gatekeeper& gatekeeper) {
    const http::HeaderList& headers = request.headers;
    return headers.has("Cookie") && !headers.has("Authorization") && !headers.has("X-API-Key") &&
           has_session(request, *gatekeeper.admin_token, *gatekeeper.sessions,
                       Sessions::Clock::now());
}

}  // namespace

Result<Caller> authenticate(const http::Request& request, std::string_view client_address,
                            const Gatekeeper& gatekeeper, Scope scope, policy::UtcTime now) {
    const AuthSettings& settings = *gatekeeper.settings;
    const bool shows_all = scope == Scope::logs_read || scope == Scope::usage_read;
    if ((shows_all && has_admin_token(request, *gatekeeper.admin_token)) ||
        asks_from_console(request, gatekeeper)) {
        Caller admin{.kind = Caller::Kind::admin};
        admin.address = client_address;
        return admin;
    }
    if (settings.mode == AuthSettings::Mode::open) {
        Caller anybody;
        anybody.address = client_address;
        return anybody;
    }
    const std::string from_query = query_key(request, settings);
    const policy::Visit visit{scope, client_address, request.headers.get("Origin")};
    return policy::identify(credentials_of(request, from_query, settings), settings,
                            *gatekeeper.ring, visit, now);
}

std::shared_ptr<const policy::Key> key_of(const http::Request& request,
                                          const Gatekeeper& gatekeeper, policy::UtcTime now) {
    const AuthSettings& settings = *gatekeeper.settings;
    const auto& ring = *gatekeeper.ring;
    if (settings.mode == AuthSettings::Mode::open || ring == nullptr) return nullptr;
    const std::string from_query = query_key(request, settings);
    const Secret secret = credentials_of(request, from_query, settings).key;
    if (secret.empty()) return nullptr;
    return {ring, ring->find_by_secret(secret.reveal(), now)};
}

}  // namespace runnel::server
