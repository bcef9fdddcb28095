#include "tools/address_guard.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace runnel::tools {

namespace ip = boost::asio::ip;

namespace {

struct Range4 {
    std::uint32_t first;
    unsigned prefix_bits;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) {
    return a << 24 | b << 16 | c << 8 | d;
}

// IANA's special-purpose registry, and what is special by custom.
constexpr Range4 not_public_v4[] = {
    {v4(0, 0, 0, 0), 8},         // this network; 0.0.0.0 connects to this machine
    {v4(10, 0, 0, 0), 8},        // private
    {v4(100, 64, 0, 0), 10},     // carrier-grade NAT; one cloud's metadata service
    {v4(127, 0, 0, 0), 8},       // loopback
    {v4(168, 63, 129, 16), 32},  // Azure's wire server
    {v4(169, 254, 0, 0), 16},    // link-local, and most clouds' metadata services
    {v4(172, 16, 0, 0), 12},     // private
    {v4(192, 0, 0, 0), 24},      // protocol assignments
    {v4(192, 0, 2, 0), 24},      // documentation
    {v4(192, 88, 99, 0), 24},    // 6to4 relays
    {v4(192, 168, 0, 0), 16},    // private
    {v4(198, 18, 0, 0), 15},     // benchmarks
    {v4(198, 51, 100, 0), 24},   // documentation
    {v4(203, 0, 113, 0), 24},    // documentation
    {v4(224, 0, 0, 0), 4},       // multicast
    {v4(240, 0, 0, 0), 4},       // reserved, and broadcast
};

using Bytes6 = ip::address_v6::bytes_type;

struct Range6 {
    std::array<std::uint8_t, 6> first;  // the rest is zero
    unsigned prefix_bits;
};

// The public internet is in 2000::/3, but for these.
constexpr Range6 global_unicast = {{0x20}, 3};
constexpr Range6 not_public_v6[] = {
    {{0x20, 0x01}, 23},              // protocol assignments: Teredo, ORCHID …
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x20, 0x02}, 16},              // 6to4 wraps any IPv4 address
    {{0x3f, 0xff}, 20},              // documentation
};

// ::ffff:a.b.c.d is an IPv4 address by another name, and 64:ff9b::a.b.c.d reaches one through a
// translator; both end with it.
constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::array<std::uint8_t, 12> translated = {0, 0x64, 0xff, 0x9b};

bool is_within(std::uint32_t address, const Range4& range) {
    const unsigned shift = 32 - range.prefix_bits;
    return address >> shift == range.first >> shift;
}

bool is_within(const Bytes6& address, const Range6& range) {
    for (unsigned bit = 0; bit < range.prefix_bits; bit += 8) {
        const unsigned bits = std::min(8u, range.prefix_bits - bit);
        const unsigned shift = 8 - bits;
        if (address[bit / 8] >> shift != range.first[bit / 8] >> shift) return false;
    }
    return true;
}

bool is_public(std::uint32_t address) {
    return std::ranges::none_of(not_public_v4,
                                [&](const Range4& range) { return is_within(address, range); });
}

bool is_public(const Bytes6& address) {
    const auto prefix = std::span(address).first<12>();
    if (std::ranges::equal(prefix, mapped) || std::ranges::equal(prefix, translated))
        return is_public(v4(address[12], address[13], address[14], address[15]));
    return is_within(address, global_unicast) &&
           std::ranges::none_of(not_public_v6,
                                [&](const Range6& range) { return is_within(address, range); });
}

}  // namespace

bool is_public_address(const ip::address& address) {
    return address.is_v4() ? is_public(address.to_v4().to_uint())
                           : is_public(address.to_v6().to_bytes());
}

}  // namespace runnel::tools
