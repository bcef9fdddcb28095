#include "http/server/trusted_proxies.hpp"

#include "base/ascii.hpp"
#include "base/authority.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace runnel::http {
namespace {

using runnel::IpBytes;
namespace ip = boost::asio::ip;

constexpr std::size_t hops_max = 32;  // more are no path that a request takes

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t end = text.find_last_not_of(" \t");
    return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

// "192.0.2.7", "192.0.2.7:4711", "2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:4711".
std::optional<IpBytes> read_node(std::string_view text) {
    if (text.contains('%')) return std::nullopt;  // a zone means something on one machine only
    if (const auto address = runnel::read_address(text)) return address;
    const auto node = read_authority(text);
    return node ? runnel::read_address(node->host) : std::nullopt;
}

// The address behind for= of one of Forwarded's elements: "for=192.0.2.7;proto=http",
// "For=\"[2001:db8::7]:4711\"". None also where it is twice there.
std::optional<IpBytes> read_forwarded(std::string_view element) {
    std::optional<IpBytes> found;
    while (!element.empty()) {
        const std::size_t end = std::min(element.find(';'), element.size());
        const std::string_view pair = trimmed(element.substr(0, end));
        element.remove_prefix(std::min(end + 1, element.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        if (!ascii::equal_ignoring_case(pair.substr(0, equals), "for")) continue;
        if (found) return std::nullopt;
        std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
        if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"'))
            value = value.substr(1, value.size() - 2);
        found = read_node(value);
        if (!found) return std::nullopt;
    }
    return found;
}

}  // namespace

IpBytes bytes_of(const ip::address& address) {
    if (address.is_v6()) return address.to_v6().to_bytes();
    return ip::make_address_v6(ip::v4_mapped, address.to_v4()).to_bytes();
}

std::string text_of(const IpBytes& address) {
    const ip::address_v6 v6(address);
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
    return v6.to_string();
}

bool TrustedProxies::contains(const IpBytes& address) const {
    return std::ranges::any_of(
        ranges_, [&](const runnel::AddressRange& range) { return range.contains(address); });
}

IpBytes TrustedProxies::client_of(const IpBytes& peer, const HeaderList& headers) const {
    if (!contains(peer)) return peer;
    const bool has_list = headers.has("X-Forwarded-For");
    const std::string_view name = has_list ? "X-Forwarded-For" : "Forwarded";
    IpBytes client = peer;
    std::size_t hops = 0;
    for (std::size_t i = headers.size(); i-- > 0;) {
        if (!ascii::equal_ignoring_case(headers.at(i).name, name)) continue;
        std::string_view rest = headers.at(i).value;
        while (true) {
            const std::size_t comma = rest.rfind(',');
            const std::string_view element =
                trimmed(comma == std::string_view::npos ? rest : rest.substr(comma + 1));
            const auto hop = has_list ? read_node(element) : read_forwarded(element);
            if (!hop || ++hops > hops_max) return client;
            client = *hop;
            if (!contains(client)) return client;
            if (comma == std::string_view::npos) break;
            rest = rest.substr(0, comma);
        }
    }
    return client;
}

}  // namespace runnel::http
