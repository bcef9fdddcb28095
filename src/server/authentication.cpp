#include "server/authentication.hpp"

#include "access/identify.hpp"
#include "base/web_origin.hpp"
#include "server/url.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::server {
namespace {

using access::AuthSettings;
using access::Caller;
using access::Scope;

// Where a key may be besides Authorization: Anthropic's clients have it in the first, Google's and
// Azure's in the others. The first of them counts.
constexpr std::string_view key_headers[] = {"X-API-Key", "x-goog-api-key", "api-key"};

std::string query_key(const http::Request& request, const AuthSettings& settings) {
    if (!settings.key_in_query) return {};
    for (auto& [name, value] : query_fields(request.query()))
        if (name == "api-key") return std::move(value);
    return {};
}

access::Credentials credentials_of(const http::Request& request, std::string_view query_key,
                                   const AuthSettings& settings) {
    const http::HeaderList& headers = request.headers;
    std::string_view key;
    for (const std::string_view name : key_headers)
        if (key.empty()) key = headers.get(name);
    return access::read_credentials(
        {headers.get("Authorization"), key, query_key, headers.get(settings.header)}, settings);
}

// A proxy may have checked the one that is not looked at here.
Result<void> check_given_once(const http::HeaderList& headers, const AuthSettings& settings) {
    const auto more_than_one = [](std::string_view name) {
        return fail(ErrorKind::invalid_value,
                    fmt::format("the request has more than one {}", name));
    };
    for (const std::string_view name : key_headers)
        if (headers.count(name) > 1) return more_than_one(name);
    if (headers.count(settings.header) > 1) return more_than_one(settings.header);
    return {};
}

// Whoever brings a key wants to be asked as its owner.
bool is_admin_without_key(const Arrival& arrival, const AdminProof& proof,
                          Sessions::Clock::time_point now) {
    const http::HeaderList& headers = arrival.request->headers;
    if (headers.has("Authorization") ||
        std::ranges::any_of(key_headers, [&](auto name) { return headers.has(name); }))
        return false;
    return arrival.way == Arrival::Way::local_socket || has_session(arrival, proof, now);
}

Result<Caller> identify(const Arrival& arrival, const Gatekeeper& gatekeeper, Scope scope,
                        access::UtcTime now) {
    const AuthSettings& settings = *gatekeeper.settings;
    if (settings.mode == AuthSettings::Mode::open) {
        if (auto may = may_ask_unproven(arrival, gatekeeper.pages); !may) return propagate(may);
        Caller anybody;
        anybody.address = arrival.address;
        return anybody;
    }
    const http::Request& request = *arrival.request;
    if (auto once = check_given_once(request.headers, settings); !once) return propagate(once);
    const std::string from_query = query_key(request, settings);
    const std::string origin = web_origin(request.headers.get("Origin"));
    const access::Visit visit{scope, arrival.address, origin};
    auto caller = access::identify(credentials_of(request, from_query, settings), settings,
                                   *gatekeeper.ring, visit, now);
    // An address without a key proves nothing: a page whose name was made to point here can say it,
    // and a proxy that knows the browser's user says it for every page.
    if (caller && caller->kind == Caller::Kind::wallet)
        if (auto may = may_ask_unproven(arrival, gatekeeper.pages); !may) return propagate(may);
    return caller;
}

}  // namespace

Result<Caller> authenticate(const Arrival& arrival, const Gatekeeper& gatekeeper, Scope scope,
                            access::UtcTime now) {
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

std::shared_ptr<const access::Key> key_of(const http::Request& request,
                                          const Gatekeeper& gatekeeper, access::UtcTime now) {
    const AuthSettings& settings = *gatekeeper.settings;
    const auto& ring = *gatekeeper.ring;
    if (settings.mode == AuthSettings::Mode::open || ring == nullptr) return nullptr;
    const std::string from_query = query_key(request, settings);
    const Secret secret = credentials_of(request, from_query, settings).key;
    if (secret.empty()) return nullptr;
    return {ring, ring->find_by_secret(secret.reveal(), now)};
}

}  // namespace runnel::server
