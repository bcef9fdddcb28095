#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace runnel {

// Where a URL leads, by RFC 3986: a host and perhaps a port. A view of the text.
struct Authority {
    enum class Kind { name, ipv4, ipv6 } kind = Kind::name;
    std::string_view host{};  // without the brackets of an IPv6 address
    std::optional<std::uint16_t> port{};
};

// "example.com", "127.0.0.1:8080", "[::1]:8080". None where it is anything else: a user's name in
// front, a port that is no number or empty, or a host with another character than names on the
// internet have (RFC 3986 allows many more, which nobody can look up).
std::optional<Authority> read_authority(std::string_view text);

}  // namespace runnel
