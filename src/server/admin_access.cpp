#include "server/admin_access.hpp"

#include "base/ascii.hpp"

#include <boost/asio/ip/address.hpp>
#include <openssl/crypto.h>

#include <ranges>

namespace runnel::server {
namespace {

std::string_view bearer(const http::HeaderList& headers) {
    constexpr std::string_view scheme = "Bearer ";
    const std::string_view value = headers.get("Authorization");
    if (!ascii::equal_ignoring_case(value.substr(0, scheme.size()), scheme)) return {};
    return value.substr(scheme.size());
}

bool is_loopback(std::string_view text) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(text, error);
    if (error) return false;
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6())
            .is_loopback();
    return address.is_loopback();
}

bool is_own_origin(const http::HeaderList& headers) {
    const std::string_view origin = headers.get("Origin");
    const std::string_view host = headers.get("Host");
    return !host.empty() && origin.ends_with(host) &&
           origin.substr(0, origin.size() - host.size()).ends_with("://");
}

// Anybody's domain may be made to point here; then a page of theirs has this gateway for its own
// origin. An address or localhost is nobody's domain.
bool is_address_or_localhost(std::string_view host) {
    if (host.starts_with('[')) {
        host = host.substr(1, host.find(']') - 1);
    } else {
        host = host.substr(0, host.find(':'));
    }
    boost::system::error_code error;
    (void)boost::asio::ip::make_address(host, error);
    return !error || host.empty() || host == "localhost" || host.ends_with(".localhost");
}

// A proxy on this machine speaks for others, and so does a browser for the pages of others.
bool speaks_for_another(const http::HeaderList& headers) {
    return headers.has("X-Forwarded-For") || headers.has("Forwarded") ||
           (headers.has("Origin") && !is_own_origin(headers)) ||
           !is_address_or_localhost(headers.get("Host"));
}

}  // namespace

bool same_secret(std::string_view given, const Secret& secret) {
    const std::string& token = secret.reveal();
    return given.size() == token.size() &&
           CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

std::string_view session_of(const http::HeaderList& headers) {
    for (const auto part : std::views::split(headers.get("Cookie"), ';')) {
        std::string_view pair(part.begin(), part.end());
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        if (!pair.starts_with(session_cookie)) continue;
        pair.remove_prefix(session_cookie.size());
        if (pair.starts_with('=')) return pair.substr(1);
    }
    return {};
}

bool is_from_own_page(const http::Request& request) {
    const http::HeaderList& headers = request.headers;
    // Where the browser says whose page asks, it must be ours, or nobody's: an address was typed.
    const std::string_view site = headers.get("Sec-Fetch-Site");
    if (!site.empty() && site != "same-origin" && site != "none") return false;
    if (headers.has("Origin")) return is_own_origin(headers);
    const bool changes_nothing = request.method == "GET" || request.method == "HEAD";
    return changes_nothing || headers.get("X-Runnel-Console") == "1";
}

bool has_admin_token(const http::Request& request, const Secret& token) {
    return !token.empty() && same_secret(bearer(request.headers), token);
}

bool has_session(const http::Request& request, const Secret& token, const Sessions& sessions,
                 Sessions::Clock::time_point now) {
    return is_from_own_page(request) && sessions.is_open(session_of(request.headers), token, now);
}

Result<void> may_administer(const http::Request& request, std::string_view client_address,
                            const Secret& token, const Sessions& sessions,
                            Sessions::Clock::time_point now) {
    if (token.empty()) {
        if (is_loopback(client_address) && !speaks_for_another(request.headers)) return {};
        return fail(ErrorKind::insufficient_scope,
                    "without admin.token in the gateway's config, this answers only programs on "
                    "the gateway's own machine, at 127.0.0.1 or localhost");
    }
    if (has_admin_token(request, token) || has_session(request, token, sessions, now)) return {};
    if (!bearer(request.headers).empty())
        return fail(ErrorKind::invalid_api_key, "this is not the gateway's admin token");
    if (!session_of(request.headers).empty())
        return fail(ErrorKind::expired_api_key, "the session is over; sign in again");
    return fail(ErrorKind::missing_api_key,
                "this needs the gateway's admin token: Authorization: Bearer <admin.token>");
}

}  // namespace runnel::server
