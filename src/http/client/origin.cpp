#include "http/client/origin.hpp"

#include "base/authority.hpp"
#include "base/base64.hpp"
#include "base/percent_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::http {
namespace {

Result<Authority> host_and_port(std::string_view text) {
    const auto authority = read_authority(text);
    if (!authority)
        return fail(ErrorKind::invalid_value, fmt::format("'{}' is not host or host:port", text));
    return *authority;
}

const char* either_case(Environment environment, const char* upper, const char* lower) {
    const char* value = environment(lower);
    if (value == nullptr || *value == '\0') value = environment(upper);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

// NO_PROXY's entries are host names, matched whole or as a parent domain; "*" matches all.
bool excluded(std::string_view host, std::string_view no_proxy) {
    while (!no_proxy.empty()) {
        const std::size_t comma = std::min(no_proxy.find(','), no_proxy.size());
        std::string_view entry = no_proxy.substr(0, comma);
        no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
        while (entry.starts_with(' ')) entry.remove_prefix(1);
        while (entry.ends_with(' ')) entry.remove_suffix(1);
        if (entry == "*") return true;
        while (entry.starts_with('.')) entry.remove_prefix(1);
        if (entry.empty() || !host.ends_with(entry)) continue;
        if (host.size() == entry.size() || host[host.size() - entry.size() - 1] == '.') return true;
    }
    return false;
}

bool is_this_machine(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

Result<Origin> read_origin(std::string_view text) {
    Origin origin;
    constexpr std::string_view http = "http://", https = "https://";
    std::string_view rest;
    if (text.starts_with(https)) {
        rest = text.substr(https.size());
    } else if (text.starts_with(http)) {
        origin.scheme = Origin::Scheme::http;
        rest = text.substr(http.size());
    } else {
        return fail(ErrorKind::invalid_value,
                    fmt::format("'{}' must begin with http:// or https://", text));
    }
    while (rest.ends_with('/')) rest.remove_suffix(1);
    auto authority = host_and_port(rest);
    if (!authority) return propagate(authority);
    origin.host = authority->host;
    const std::uint16_t usual_port = origin.scheme == Origin::Scheme::https ? 443 : 80;
    origin.port = std::to_string(authority->port.value_or(usual_port));
    origin.host_header = rest;
    return origin;
}

Result<Proxy> read_proxy(std::string_view url) {
    constexpr std::string_view http = "http://";
    if (url.starts_with(http)) url.remove_prefix(http.size());
    // The URL is not shown: it may have a password in it.
    if (url.contains("://"))
        return fail(ErrorKind::invalid_value, "a proxy's URL must begin with http://");
    while (url.ends_with('/')) url.remove_suffix(1);
    Proxy proxy;
    // A password may have any sign in it, also one that a URL can't: the last @ ends it.
    if (const std::size_t at = url.rfind('@'); at != std::string_view::npos) {
        proxy.authorization = "Basic " + base64(percent_decoded(url.substr(0, at)));
        url.remove_prefix(at + 1);
    }
    auto authority = host_and_port(url);
    if (!authority) return propagate(authority);
    proxy.host = authority->host;
    proxy.port = std::to_string(authority->port.value_or(80));
    return proxy;
}

Result<std::optional<Proxy>> environment_proxy(const Origin& origin, Environment environment) {
    const bool tls = origin.scheme == Origin::Scheme::https;
    const char* url = tls ? either_case(environment, "HTTPS_PROXY", "https_proxy")
                          : either_case(environment, "HTTP_PROXY", "http_proxy");
    const char* no_proxy = either_case(environment, "NO_PROXY", "no_proxy");
    if (url == nullptr || is_this_machine(origin.host)) return std::nullopt;
    if (no_proxy != nullptr && excluded(origin.host, no_proxy)) return std::nullopt;
    auto proxy = read_proxy(url);
    if (!proxy) return propagate(proxy);
    return std::optional<Proxy>(std::move(*proxy));
}

}  // namespace runnel::http
