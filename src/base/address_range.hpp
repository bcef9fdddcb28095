#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace runnel {

// An IP address in IPv6's form: IPv4's are ::ffff:a.b.c.d, which is also what a listener for both
// kinds sees.
using IpBytes = std::array<std::uint8_t, 16>;

// "192.0.2.7", "2001:db8::7", "::ffff:192.0.2.7", "fe80::1%eth0"; none when it is no address.
std::optional<IpBytes> read_address(std::string_view text);

// One address, or all that begin like it.
struct AddressRange {
    IpBytes first{};
    unsigned prefix_bits = 128;

    // A range of IPv6 has no IPv4 addresses in it, however large it is.
    bool contains(const IpBytes& address) const;
};

// "192.0.2.7", "10.0.0.0/8", "2001:db8::/32". Bits behind the prefix are not looked at.
std::optional<AddressRange> read_address_range(std::string_view text);

}  // namespace runnel
