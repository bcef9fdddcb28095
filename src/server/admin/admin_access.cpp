#include "server/admin/admin_access.hpp"

#include "base/ascii.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <ranges>

namespace runnel::server {
namespace {

std::string_view cookie_named(std::string_view name, const http::HeaderList& headers) {
    for (const auto part : std::views::split(headers.get("Cookie"), ';')) {
        std::string_view pair(part.begin(), part.end());
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        if (!pair.starts_with(name)) continue;
        pair.remove_prefix(name.size());
        if (pair.starts_with('=')) return pair.substr(1);
    }
    return {};
}

Error no_proof(const Secret& token) {
    if (token.empty())
        return {ErrorKind::missing_api_key,
                "the gateway's config has no admin.token, so this answers by the socket admin.sock "
                "in its data folder, and to browsers that came by a link of `runnel admin-link`"};
    return {ErrorKind::missing_api_key,
            "this needs the gateway's admin token: Authorization: Bearer <admin.token>"};
}

Error session_over(const Secret& token) {
    return {ErrorKind::expired_api_key,
            token.empty() ? "the session is over; `runnel admin-link` prints a link to a new one"
                          : "the session is over; sign in again"};
}

}  // namespace

bool same_secret(std::string_view given, const Secret& secret) {
    const std::string& token = secret.reveal();
    return given.size() == token.size() &&
           CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

std::string_view bearer_of(const http::HeaderList& headers) {
    constexpr std::string_view scheme = "Bearer ";
    const std::string_view value = headers.get("Authorization");
    if (!ascii::equal_ignoring_case(value.substr(0, scheme.size()), scheme)) return {};
    return value.substr(scheme.size());
}

std::string_view session_of(const Arrival& arrival) {
    const http::HeaderList& headers = arrival.request->headers;
    const std::string_view secure = cookie_named(secure_session_cookie, headers);
    if (!secure.empty() || is_encrypted(arrival)) return secure;
    return cookie_named(session_cookie, headers);
}

Result<void> may_guess(std::string_view address, const Guesses& guesses,
                       Sessions::Clock::time_point now) {
    const auto wait = guesses.wait_of(address, now);
    if (wait.count() == 0) return {};
    Error error{ErrorKind::rate_limit_exceeded,
                "too many wrong tokens from this address; wait, then try again"};
    error.retry_after = wait;
    return fail(std::move(error));
}

bool has_admin_token(const Arrival& arrival, const AdminProof& proof,
                     Sessions::Clock::time_point now) {
    return !proof.token->empty() && may_guess(arrival.address, *proof.guesses, now) &&
           same_secret(bearer_of(arrival.request->headers), *proof.token);
}

bool has_session(const Arrival& arrival, const AdminProof& proof, Sessions::Clock::time_point now) {
    return arrival.request->headers.has("Cookie") && is_from_own_page(arrival) &&
           proof.sessions->is_open(session_of(arrival), *proof.token, now);
}

Result<AdminBy> may_administer(const Arrival& arrival, const AdminProof& proof,
                               Sessions::Clock::time_point now) {
    if (arrival.way == Arrival::Way::local_socket) return AdminBy::local_socket;
    if (has_session(arrival, proof, now)) return AdminBy::session;
    const std::string_view given = bearer_of(arrival.request->headers);
    if (!given.empty() && !proof.token->empty()) {
        if (auto may = may_guess(arrival.address, *proof.guesses, now); !may) return propagate(may);
        if (same_secret(given, *proof.token)) {
            proof.guesses->was_right(arrival.address);
            return AdminBy::token;
        }
        proof.guesses->was_wrong(arrival.address, now);
        return fail(ErrorKind::invalid_api_key, "this is not the gateway's admin token");
    }
    if (!session_of(arrival).empty()) return fail(session_over(*proof.token));
    return fail(no_proof(*proof.token));
}

}  // namespace runnel::server
