#include "server/authentication.hpp"

#include "base/web_origin.hpp"
#include "policy/identify.hpp"
#include "server/url.hpp"

#include <algorithm>

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

// Whoever brings a key wants to be asked as its owner.
bool is_admin_without_key(const Arrival& arrival, const AdminProof& proof,
                          Sessions::Clock::time_point now) {
    const http::HeaderList& headers = arrival.request->headers;
    if (headers.has("Authorization") || headers.has("X-API-Key")) return false;
    return arrival.way == Arrival::Way::local_socket || has_session(arrival, proof, now);
}

Result<Caller> identify(const Arrival& arrival, const Gatekeeper& gatekeeper, Scope scope,
                        policy::UtcTime now) {
    const AuthSettings& settings = *gatekeeper.settings;
    if (settings.mode == AuthSettings::Mode::open) {
        if (auto may = may_ask_unproven(arrival, gatekeeper.pages); !may) return propagate(may);
        Caller anybody;
        anybody.address = arrival.address;
        return anybody;
    }
    const http::Request& request = *arrival.request;
    const std::string from_query = query_key(request, settings);
    const std::string origin = web_origin(request.headers.get("Origin"));
    const policy::Visit visit{scope, arrival.address, origin};
    auto caller = policy::identify(credentials_of(request, from_query, settings), settings,
                                   *gatekeeper.ring, visit, now);
    // An address without a key proves nothing: a page whose name was made to point here can say it,
    // and a proxy that knows the browser's user says it for every page.
    if (caller && caller->kind == Caller::Kind::wallet)
        if (auto may = may_ask_unproven(arrival, gatekeeper.pages); !may) return propagate(may);
    return caller;
}

}  // namespace

Result<Caller> authenticate(const Arrival& arrival, const Gatekeeper& gatekeeper, Scope scope,
                            policy::UtcTime now) {
    const auto moment = Sessions::Clock::now();
    const AdminProof& proof = gatekeeper.admin;
    const bool shows_all = scope == Scope::logs_read || scope == Scope::usage_read;
    if ((shows_all && has_admin_token(arrival, proof, moment)) ||
        is_admin_without_key(arrival, proof, moment)) {
        Caller admin{.kind = Caller::Kind::admin};
        admin.address = arrival.address;
        return admin;
    }
    auto caller = identify(arrival, gatekeeper, scope, now);
    // What is neither the token nor a key is a guess at both.
    const bool guessed =
        shows_all && !proof.token->empty() && !bearer_of(arrival.request->headers).empty() &&
        (caller ? caller->key == nullptr : caller.error().kind == ErrorKind::invalid_api_key);
    if (guessed) proof.guesses->was_wrong(arrival.address, moment);
    return caller;
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

Pages pages_for(const http::Request& request, const Gatekeeper& gatekeeper, policy::UtcTime now) {
    const std::string origin = web_origin(request.headers.get("Origin"));
    const std::vector<std::string>& origins = *gatekeeper.pages.origins;
    if (std::ranges::find(origins, "*") != origins.end()) return Pages::of_every_origin;
    if (origin.empty()) return Pages::none;
    if (lists_origin(origins, origin)) return Pages::of_this_origin;
    const auto& ring = *gatekeeper.ring;
    if (gatekeeper.settings->mode == AuthSettings::Mode::open || ring == nullptr)
        return Pages::none;
    if (request.method == "OPTIONS")
        return ring->is_for_pages_of(origin) ? Pages::of_this_origin : Pages::none;
    const auto key = key_of(request, gatekeeper, now);
    if (key == nullptr) return Pages::none;
    const bool every_page = key->kind == policy::Key::Kind::browser && key->origins.empty();
    return every_page || std::ranges::find(key->origins, origin) != key->origins.end()
               ? Pages::of_this_origin
               : Pages::none;
}

}  // namespace runnel::server
