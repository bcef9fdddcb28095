#include "base/address_range.hpp"

#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>

#include <algorithm>
#include <charconv>
#include <span>

namespace runnel {
namespace {

constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned mapped_bits = 96;

bool is_v4(const IpBytes& address) {
    return std::ranges::equal(std::span(address).first<mapped.size()>(), mapped);
}

std::optional<unsigned> read_prefix(std::string_view text) {
    unsigned bits = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, bits);
    if (text.size() > 3 || error != std::errc() || rest != end) return std::nullopt;
    return bits;
}

}  // namespace

std::optional<IpBytes> read_address(std::string_view text) {
    if (const auto v4 = boost::urls::parse_ipv4_address({text.data(), text.size()})) {
        IpBytes address{};
        std::ranges::copy(mapped, address.begin());
        std::ranges::copy(v4->to_bytes(), address.begin() + mapped.size());
        return address;
    }
    text = text.substr(0, text.find('%'));  // the zone is this machine's own affair
    const auto v6 = boost::urls::parse_ipv6_address({text.data(), text.size()});
    return v6 ? std::optional<IpBytes>(v6->to_bytes()) : std::nullopt;
}

bool AddressRange::contains(const IpBytes& address) const {
    const bool v4_range = prefix_bits >= mapped_bits && is_v4(first);
    if (v4_range != is_v4(address)) return false;
    const unsigned whole = prefix_bits / 8, bits = prefix_bits % 8;
    if (!std::equal(first.begin(), first.begin() + whole, address.begin())) return false;
    return bits == 0 || first[whole] >> (8 - bits) == address[whole] >> (8 - bits);
}

// Boost.URL reads addresses, not ranges of them.
std::optional<AddressRange> read_address_range(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (text.contains('%')) return std::nullopt;
    const auto address = read_address(text.substr(0, slash));
    if (!address) return std::nullopt;
    if (slash == std::string_view::npos) return AddressRange{*address};
    const unsigned bits_before = text.contains(':') ? 0 : mapped_bits;
    const auto bits = read_prefix(text.substr(slash + 1));
    if (!bits || *bits + bits_before > 128) return std::nullopt;
    return AddressRange{*address, *bits + bits_before};
}

}  // namespace runnel
