#include "server/admin_access.hpp"

#include <boost/asio/ip/address.hpp>
#include <openssl/crypto.h>

namespace runnel::server {
namespace {

std::string_view bearer(const http::HeaderList& headers) {
    constexpr std::string_view scheme = "Bearer ";
    const std::string_view value = headers.get("Authorization");
    if (!http::equal_ignoring_case(value.substr(0, scheme.size()), scheme)) return {};
    return value.substr(scheme.size());
}

// In a time that does not tell how much of it is right.
bool same(std::string_view given, std::string_view token) {
    return given.size() == token.size() &&
           CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
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

// A proxy on this machine speaks for others, and so does a browser for the pages of others.
bool speaks_for_another(const http::HeaderList& headers) {
    const std::string_view origin = headers.get("Origin");
    const std::string_view host = headers.get("Host");
    const bool own_page =
        origin.ends_with(host) && origin.substr(0, origin.size() - host.size()).ends_with("://");
    return headers.has("X-Forwarded-For") || headers.has("Forwarded") ||
           (!origin.empty() && !own_page);
}

}  // namespace

Result<void> may_administer(const http::Request& request, std::string_view client_address,
                            const Secret& token) {
    if (token.empty()) {
        if (is_loopback(client_address) && !speaks_for_another(request.headers)) return {};
        return fail(ErrorKind::insufficient_scope,
                    "without admin.token in the gateway's config, this answers only programs on "
                    "the gateway's own machine");
    }
    const std::string_view given = bearer(request.headers);
    if (given.empty())
        return fail(ErrorKind::missing_api_key,
                    "this needs the gateway's admin token: Authorization: Bearer <admin.token>");
    if (same(given, token.reveal())) return {};
    return fail(ErrorKind::invalid_api_key, "this is not the gateway's admin token");
}

bool has_admin_token(const http::Request& request, const Secret& token) {
    return !token.empty() && same(bearer(request.headers), token.reveal());
}

}  // namespace runnel::server
