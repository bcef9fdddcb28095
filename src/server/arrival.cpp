#include "server/arrival.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "base/web_origin.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace runnel::server {
namespace {

constexpr std::size_t shown_bytes = 100;  // of what a client says

// The host of a Host field, in small letters and without its port; the whole of what is none.
std::string host_in(std::string_view field) {
    const std::size_t bracket = field.starts_with('[') ? field.find(']') : 0;
    const std::size_t colon = std::min(field.find(':', bracket), field.size());
    const bool has_port =
        std::ranges::all_of(field.substr(std::min(colon + 1, field.size())), ascii::is_digit);
    std::string host(has_port ? field.substr(0, colon) : field);
    std::ranges::transform(host, host.begin(), ascii::lower);
    return host;
}

bool is_own_origin(const Arrival& arrival) {
    const http::HeaderList& headers = arrival.request->headers;
    const std::string_view host = headers.get("Host");
    if (host.empty()) return false;
    const std::string_view scheme = is_encrypted(arrival) ? "https://" : "http://";
    return web_origin(headers.get("Origin")) == web_origin(std::string(scheme).append(host));
}

Error not_for_pages(std::string_view what) {
    return {ErrorKind::origin_not_allowed,
            fmt::format("{} may not ask this gateway: it has cors.origins in its config for those "
                        "who may",
                        what)};
}

}  // namespace

Arrival arrival_of(const http::Transaction& transaction) {
    using enum Arrival::Way;
    const http::Stream& client = *transaction.client;
    return {&transaction.request, transaction.client_address,
            client.is_local()       ? local_socket
            : client.is_encrypted() ? tls
                                    : plain};
}

bool is_encrypted(const Arrival& arrival) {
    // No page can send this field to another origin unless it is allowed to.
    return arrival.way == Arrival::Way::tls ||
           arrival.request->headers.get("X-Forwarded-Proto") == "https";
}

bool is_from_own_page(const Arrival& arrival) {
    const http::HeaderList& headers = arrival.request->headers;
    const bool changes_nothing =
        arrival.request->method == "GET" || arrival.request->method == "HEAD";
    // No page can send this field: the browser's own word, also behind a proxy that changes Host.
    const std::string_view site = headers.get("Sec-Fetch-Site");
    if (site == "same-origin") return true;
    if (site == "none" && changes_nothing) return true;  // an address was typed
    if (!site.empty()) return false;
    if (headers.has("Origin")) return is_own_origin(arrival);
    return changes_nothing || headers.get("X-Runnel-Console") == "1";
}

bool is_address_or_localhost(std::string_view field) {
    std::string host = host_in(field);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    boost::system::error_code error;
    (void)boost::asio::ip::make_address(host, error);
    return !error || host.empty() || host == "localhost" || host.ends_with(".localhost");
}

bool lists_origin(const std::vector<std::string>& origins, std::string_view origin) {
    return std::ranges::find(origins, "*") != origins.end() ||
           std::ranges::find(origins, web_origin(origin)) != origins.end();
}

Result<void> may_ask_unproven(const Arrival& arrival, const PageRules& rules) {
    const http::HeaderList& headers = arrival.request->headers;
    const std::string_view host = headers.get("Host");
    if (!is_address_or_localhost(host) &&
        std::ranges::find(*rules.hosts, host_in(host)) == rules.hosts->end())
        return fail(ErrorKind::origin_not_allowed,
                    fmt::format("this gateway does not know itself as '{}': without keys it "
                                "answers to addresses, localhost and the names in hosts of its "
                                "config",
                                utf8_prefix(host, shown_bytes)));
    const std::string_view origin = headers.get("Origin");
    if (headers.has("Origin")) {
        if (is_own_origin(arrival) || lists_origin(*rules.origins, origin)) return {};
        return fail(not_for_pages(fmt::format("pages of '{}'", utf8_prefix(origin, shown_bytes))));
    }
    const std::string_view site = headers.get("Sec-Fetch-Site");
    if (site.empty() || site == "same-origin" || site == "none" || lists_origin(*rules.origins, ""))
        return {};
    return fail(not_for_pages("pages of another origin"));
}

}  // namespace runnel::server
