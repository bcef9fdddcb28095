#include "base/authority.hpp"

#include "base/ascii.hpp"

#include <boost/url/authority_view.hpp>

#include <algorithm>
#include <charconv>

namespace runnel {
namespace {

std::optional<std::uint16_t> read_port(std::string_view digits) {
    std::uint16_t port = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, port);
    if (error != std::errc() || rest != end) return std::nullopt;
    return port;
}

bool is_name(std::string_view host) {
    return !host.empty() && std::ranges::all_of(host, [](char c) {
        return ascii::is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
    });
}

}  // namespace

std::optional<Authority> read_authority(std::string_view text) {
    const auto parsed = boost::urls::parse_authority({text.data(), text.size()});
    if (!parsed || parsed->has_userinfo()) return std::nullopt;
    const auto host = parsed->encoded_host_address();
    Authority out{.host = {host.data(), host.size()}};
    switch (parsed->host_type()) {
        case boost::urls::host_type::ipv4: out.kind = Authority::Kind::ipv4; break;
        case boost::urls::host_type::ipv6: out.kind = Authority::Kind::ipv6; break;
        case boost::urls::host_type::name:
            if (!is_name(out.host)) return std::nullopt;
            break;
        default: return std::nullopt;  // none, or of an IP version to come
    }
    if (!parsed->has_port()) return out;
    out.port = read_port({parsed->port().data(), parsed->port().size()});
    return out.port ? std::optional(out) : std::nullopt;
}

}  // namespace runnel
