#include "policy/address_range.hpp"

#include <algorithm>
#include <charconv>
#include <span>

namespace runnel::policy {
namespace {

constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned mapped_bits = 96;
constexpr std::size_t groups = 8;  // of an IPv6 address

bool is_v4(const IpBytes& address) {
    return std::ranges::equal(std::span(address).first<mapped.size()>(), mapped);
}

// The whole text as a number without sign, of at most so many digits.
std::optional<unsigned> number(std::string_view text, int base, std::size_t digits_max) {
    unsigned value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value, base);
    if (text.size() > digits_max || error != std::errc() || rest != end) return std::nullopt;
    return value;
}

bool read_v4(std::string_view text, std::span<std::uint8_t, 4> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t dot = std::min(text.find('.'), text.size());
        const auto byte = number(text.substr(0, dot), 10, 3);
        // Some read 010 as eight.
        if (!byte || *byte > 255 || (dot > 1 && text.front() == '0')) return false;
        out[i] = static_cast<std::uint8_t>(*byte);
        if ((i == 3) != (dot == text.size())) return false;
        text.remove_prefix(std::min(dot + 1, text.size()));
    }
    return true;
}

// Groups of hexadecimal digits between colons; the last may be an IPv4 address, which is two. Says
// how many bytes they make, or none where they are no groups.
std::optional<std::size_t> read_groups(std::string_view text, IpBytes& out) {
    std::size_t size = 0;
    while (!text.empty()) {
        const std::size_t colon = std::min(text.find(':'), text.size());
        const std::string_view group = text.substr(0, colon);
        if (colon == text.size() && group.contains('.')) {
            if (size + 4 > out.size()) return std::nullopt;
            if (!read_v4(group, std::span(out).subspan(size).first<4>())) return std::nullopt;
            return size + 4;
        }
        const auto value = number(group, 16, 4);
        if (!value || size + 2 > out.size()) return std::nullopt;
        out[size++] = static_cast<std::uint8_t>(*value >> 8);
        out[size++] = static_cast<std::uint8_t>(*value & 0xff);
        if (colon + 1 == text.size()) return std::nullopt;  // a colon and nothing behind it
        text.remove_prefix(std::min(colon + 1, text.size()));
    }
    return size;
}

std::optional<IpBytes> read_v6(std::string_view text) {
    IpBytes address{};
    const std::size_t gap = text.find("::");
    if (gap == std::string_view::npos) {
        const auto size = read_groups(text, address);
        return size == 2 * groups ? std::optional(address) : std::nullopt;
    }
    const std::string_view before = text.substr(0, gap);
    const auto begin = before.contains('.') ? std::nullopt : read_groups(before, address);
    IpBytes rest{};
    const auto end = read_groups(text.substr(gap + 2), rest);
    if (!begin || !end || *begin + *end + 2 > address.size()) return std::nullopt;
    std::ranges::copy(std::span(rest).first(*end), address.end() - static_cast<long>(*end));
    return address;
}

}  // namespace

std::optional<IpBytes> read_address(std::string_view text) {
    if (!text.contains(':')) {
        IpBytes address{};
        std::ranges::copy(mapped, address.begin());
        if (!read_v4(text, std::span(address).last<4>())) return std::nullopt;
        return address;
    }
    return read_v6(text.substr(0, text.find('%')));  // the zone is this machine's own affair
}

bool AddressRange::contains(const IpBytes& address) const {
    const bool v4_range = prefix_bits >= mapped_bits && is_v4(first);
    if (v4_range != is_v4(address)) return false;
    const unsigned whole = prefix_bits / 8, bits = prefix_bits % 8;
    if (!std::equal(first.begin(), first.begin() + whole, address.begin())) return false;
    return bits == 0 || first[whole] >> (8 - bits) == address[whole] >> (8 - bits);
}

std::optional<AddressRange> read_address_range(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (text.contains('%')) return std::nullopt;
    const auto address = read_address(text.substr(0, slash));
    if (!address) return std::nullopt;
    if (slash == std::string_view::npos) return AddressRange{*address};
    const unsigned bits_before = text.contains(':') ? 0 : mapped_bits;
    const auto bits = number(text.substr(slash + 1), 10, 3);
    if (!bits || *bits + bits_before > 128) return std::nullopt;
    return AddressRange{*address, *bits + bits_before};
}

}  // namespace runnel::policy
